import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useRef, useState } from 'react'
import { focusFirstError } from '../../components/dialogs/focus-first-error.ts'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import type { EventType } from '../../components/events/event-types.ts'
import { DeviceSelection, type SelectionValues } from '../filters/device-selection.tsx'
import { typedFilter } from '../filters/filter-field.tsx'
import { EventTypePicker } from './event-type-picker.tsx'

export interface WebhookValues extends SelectionValues {
  url: string
  name: string | null
  events: EventType[]
}

interface WebhookFormProps {
  webhook: WebhookValues
  submit: string
  failed: string
  onSubmit: (values: WebhookValues) => Promise<unknown>
  onCancel: () => void
}

const selectionTexts = {
  where:
    'The webhook sends only events of devices that matched this filter immediately before or after the event. Leave empty for no filter.',
  view: 'The webhook sends only events of devices that were in this view immediately before or after the event. Changes to the view take effect within a second.',
}

const labels = { url: 'URL', where: 'Devices', view: 'View', context: 'Context' }

export function WebhookForm({ webhook, submit, failed, onSubmit, onCancel }: WebhookFormProps) {
  const box = useRef<HTMLDivElement>(null)
  const [selection, setSelection] = useState<SelectionValues>(webhook)
  const form = useForm({
    initialValues: { url: webhook.url, name: webhook.name ?? '', events: webhook.events },
    validate: {
      url: (value) => (value.trim() === '' ? 'Enter a URL, such as https://example.com/hook' : null),
      events: (value) => (value.length === 0 ? 'Select at least one event type' : null),
    },
  })
  const { attempt, error } = useAttempt(async () => {
    const { url, name, events } = form.values
    const { view, context } = selection
    const values = { url: url.trim(), name: name.trim() || null, events }
    await onSubmit({ ...values, where: typedFilter(box), view, context })
  })
  return (
    <form onSubmit={form.onSubmit(attempt, focusFirstError(form))}>
      <Stack>
        <ErrorNotice error={error} title={failed} labels={labels} />
        <TextInput
          label="URL"
          description="The server sends a signed POST request to this URL for each event that the webhook selects. The URL’s address must be public, unless the server’s setting MUSTER_WEBHOOK_ALLOW allows it."
          placeholder="https://example.com/hook"
          inputMode="url"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TextInput
          label="Name"
          description="A name that describes the webhook’s purpose"
          placeholder="Night shift alerts"
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <EventTypePicker {...form.getInputProps('events')} />
        <DeviceSelection
          value={selection}
          onChange={setSelection}
          box={box}
          about={selectionTexts}
          placeholder="site = oslo AND state = inactive"
        />
        <FormButtons onCancel={onCancel} loading={form.submitting}>
          {submit}
        </FormButtons>
      </Stack>
    </form>
  )
}
