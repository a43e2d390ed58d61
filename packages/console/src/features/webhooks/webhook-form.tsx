import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import type { EventType } from '../../components/events/event-types.ts'
import { focusFirstError } from '../../components/focus-first-error.ts'
import { EventTypePicker } from './event-type-picker.tsx'

export interface WebhookValues {
  url: string
  name: string | null
  events: EventType[]
}

interface WebhookFormProps {
  webhook: WebhookValues
  /** The label of the submit button. */
  submit: string
  /** The title of the error if the server rejects the values. */
  failed: string
  /** Rejects with the server's error. */
  onSubmit: (values: WebhookValues) => Promise<unknown>
  onCancel: () => void
}

const labels = { url: 'URL' }

export function WebhookForm({ webhook, submit, failed, onSubmit, onCancel }: WebhookFormProps) {
  const [error, setError] = useState<unknown>()
  const form = useForm({
    initialValues: { ...webhook, name: webhook.name ?? '' },
    validate: {
      url: (value) => (value.trim() === '' ? 'Enter a URL' : null),
      events: (value) => (value.length === 0 ? 'Select at least one event' : null),
    },
  })
  const save = form.onSubmit(async ({ url, name, events }) => {
    setError(undefined)
    try {
      await onSubmit({ url: url.trim(), name: name.trim() === '' ? null : name.trim(), events })
    } catch (failure) {
      setError(failure)
    }
  }, focusFirstError(form))
  return (
    <form onSubmit={save}>
      <Stack>
        {error === undefined ? null : <ErrorNotice error={error} title={failed} labels={labels} />}
        <TextInput
          label="URL"
          description="Receives a signed POST request for each event. It must be a public address, unless the server’s operator allows others."
          placeholder="https://example.com/hook"
          inputMode="url"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TextInput
          label="Name"
          description="The purpose of the webhook"
          placeholder="Night shift alerts"
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <EventTypePicker {...form.getInputProps('events')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
