import { Button, Group, Modal, Stack } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { DeliveryDetails } from './deliveries/delivery-details.tsx'
import { DeliveryStatus } from './deliveries/delivery-status.tsx'
import { type DeliveryFieldsFragment, TestWebhookDocument } from './webhooks.generated.ts'

export function TestWebhook({ id, url }: { id: string; url: string }) {
  const test = useChange(TestWebhookDocument, ['WebhookDelivery'])
  const [running, setRunning] = useState(false)
  const [opened, setOpened] = useState(false)
  const [result, setResult] = useState<{ delivery?: DeliveryFieldsFragment; error?: unknown }>({})
  const run = async (): Promise<void> => {
    setRunning(true)
    try {
      setResult({ delivery: (await test({ id })).testWebhook })
    } catch (error) {
      setResult({ error })
    } finally {
      setRunning(false)
      setOpened(true)
    }
  }
  const { delivery, error } = result
  return (
    <>
      <Button leftSection={<IconSend size={16} />} loading={running} onClick={run}>
        Send a test
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Test event" size="xl">
        <Stack>
          <ErrorNotice error={error} title="The test was not sent" />
          {delivery === undefined ? null : (
            <>
              <DeliveryStatus {...delivery} />
              <DeliveryDetails delivery={delivery} url={url} />
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" loading={running} onClick={run}>
              Send another
            </Button>
            <Button onClick={() => setOpened(false)}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
