import { Button, Code, Group, Stack, Tabs, Text } from '@mantine/core'
import { CopyButton } from '../../../components/copy-button.tsx'
import { SecretOnce } from '../../../components/dialogs/secret-once.tsx'
import { Time } from '../../../components/time.tsx'
import type { CreateRegistrationCodeMutation } from './codes.generated.ts'

export type NewCode = CreateRegistrationCodeMutation['createRegistrationCode']

/** The command installs a systemd service, so it needs root privileges. */
const agentCommand = (code: string): string => `sudo npx muster agent install --url ${location.origin} --code ${code}`

const curlCommand = (code: string): string =>
  `curl ${location.origin}/devices/v1/register \\
  -H 'content-type: application/json' \\
  -d "{\\"code\\": \\"${code}\\", \\"hardwareId\\": \\"$(sha256sum /etc/machine-id | cut -c1-32)\\", \\"name\\": \\"$(hostname)\\"}"`

export function CreatedCode({ created, onDone }: { created: NewCode; onDone: () => void }) {
  const { code, registrationCode } = created
  return (
    <Stack>
      <SecretOnce what="registration code" value={code}>
        <Text size="sm" c="dimmed">
          The code is valid for {registrationCode.uses.toLocaleString()}{' '}
          {registrationCode.uses === 1 ? 'device' : 'devices'}. It expires <Time value={registrationCode.expires} />.
        </Text>
      </SecretOnce>
      <Text fw={500}>Run this command on the machine</Text>
      <Tabs defaultValue="agent" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="agent">With the agent</Tabs.Tab>
          <Tabs.Tab value="curl">With curl only</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="agent" pt="sm">
          <Command text={agentCommand(code)}>
            Run the command in a checkout of Muster. The agent registers the machine, keeps it connected, and reports
            its services.
          </Command>
        </Tabs.Panel>
        <Tabs.Panel value="curl" pt="sm">
          <Command text={curlCommand(code)}>
            The response contains the device’s ID and secret. The device authenticates with them over MQTT or at
            /devices/v1/report.
          </Command>
        </Tabs.Panel>
      </Tabs>
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}

function Command({ text, children }: { text: string; children: string }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" c="dimmed">
        {children}
      </Text>
      <Code block w="100%" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton value={text} what="command" wide />
    </Stack>
  )
}
