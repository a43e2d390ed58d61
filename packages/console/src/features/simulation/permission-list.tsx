import { Alert, List, SimpleGrid, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react'
import { capitalize } from '../../components/capitalize.ts'
import { permissionTexts } from '../access/permissions.ts'
import type { Simulation } from './use-simulation.ts'

type Verdict = Simulation['permissions'][number]

const denials: Readonly<Record<string, string>> = {
  key: 'the key does not have the permission or is not valid',
  role: 'the role does not allow it',
  policy: 'the key breaks the key policy',
  creator: 'the person who created the key is not an enabled member, or must use single sign-on again',
}

export function Granted({ simulation: { permissions, devices, warnings } }: { simulation: Simulation }) {
  const granted = permissions.filter((verdict) => verdict.granted)
  const denied = permissions.filter((verdict) => !verdict.granted)
  const denier = onlyDenier(denied)
  return (
    <>
      {devices === undefined ? null : (
        <Text size="sm">
          Can read {devices.toLocaleString()} {devices === 1 ? 'device' : 'devices'}.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: granted.length === 0 || denied.length === 0 ? 1 : 2 }} spacing="md">
        {granted.length === 0 ? null : (
          <section aria-label="May">
            <Title order={3} size="h5" mb={4}>
              May
            </Title>
            <List size="sm" spacing={2} icon={<IconCheck size={14} color="var(--mantine-color-teal-7)" aria-hidden />}>
              {granted.map(({ permission }) => (
                <List.Item key={permission}>{textOf(permission)}</List.Item>
              ))}
            </List>
          </section>
        )}
        {denied.length === 0 ? null : (
          <section aria-label="May not">
            <Title order={3} size="h5" mb={4}>
              May not
              {denier === undefined ? null : (
                <Text span size="sm" fw={400} c="dimmed">
                  , because {denier}
                </Text>
              )}
            </Title>
            <List size="sm" spacing={2} icon={<IconX size={14} aria-hidden />}>
              {denied.map(({ permission, deniedBy }) => (
                <List.Item key={permission}>
                  {textOf(permission)}
                  {denier !== undefined || deniedBy === null ? null : (
                    <Text span inherit c="dimmed">
                      : {denials[deniedBy] ?? deniedBy}
                    </Text>
                  )}
                </List.Item>
              ))}
            </List>
          </section>
        )}
      </SimpleGrid>
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" icon={<IconAlertTriangle />} role="note">
          {capitalize(warning)}
        </Alert>
      ))}
    </>
  )
}

const textOf = (permission: Verdict['permission']): string =>
  permissionTexts.find(([name]) => name === permission)?.[1] ?? permission

/** Returns the reason that all denials share. Returns undefined if the reasons differ or are not known. */
function onlyDenier(denied: readonly Verdict[]): string | undefined {
  const [deniedBy, ...others] = new Set(denied.map((verdict) => verdict.deniedBy))
  return deniedBy == null || others.length > 0 ? undefined : (denials[deniedBy] ?? deniedBy)
}
