import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import type { EventType } from '../../components/event-types.ts'
import { describeError } from '../../graphql/describe-error.ts'
import { EventTypePicker } from './event-type-picker.tsx'

export interface WebhookValues {
  url: string
  name: string | null
  events: EventType[]
}

interface WebhookFormProps {
  webhook: WebhookValues
  /** What stands on the button. */
  submit: string
  /** What to say when the server refuses. */
  failed: string
  /** Rejects with the server's error. */
  onSubmit: (values: WebhookValues) => Promise<unknown>
  onCancel: () => void
}

export function WebhookForm({ webhook, submit, failed, onSubmit, onCancel }: WebhookFormProps) {
  const [error, setError] = useState<unknown>()
  const form = useForm({
    initialValues: { ...webhook, name: webhook.name ?? '' },
    validate: {
      url: (value) => (value.trim() === '' ? 'Say where deliveries go' : null),
      events: (value) => (value.length === 0 ? 'Choose one at least' : null),
    },
  })
  const save = form.onSubmit(async ({ url, name, events }) => {
    setError(undefined)
    try {
      await onSubmit({ url: url.trim(), name: name.trim() === '' ? null : name.trim(), events })
    } catch (failure) {
      const { what } = describeError(failure)
      // What the server says of the address stands at the address.
      if (/^url\b/i.test(what)) form.setFieldError('url', what)
      else setError(failure)
    }
  })
  return (
    <form onSubmit={save}>
      <Stack>
        {error === undefined ? null : <ErrorNotice error={error} title={failed} />}
        <TextInput
          label="URL"
          description="Gets a signed POST for each event. It must be an address that anybody can reach, unless whoever runs the server allowed it."
          placeholder="https://example.com/hook"
          inputMode="url"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TextInput
          label="Name"
          description="What it is for, so that you know later"
          placeholder="Alerts of the night shift"
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
