import { Button, Group, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useState } from 'react'
import { useClient } from 'urql'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ViewerDocument } from '../../user-settings/viewer.generated.ts'
import { useViewer } from '../../user-settings/viewer.ts'
import { changeName } from '../account-api.ts'
import { Section } from '../section.tsx'

export function ProfileSection() {
  const name = useViewer().me.person?.name ?? null
  const client = useClient()
  const [text, setText] = useState(name ?? '')
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(undefined)
    try {
      await changeName(text.trim() === '' ? null : text.trim())
      await client.query(ViewerDocument, {}, { requestPolicy: 'network-only' }).toPromise()
      notifications.show({ message: 'Your name was changed' })
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Section title="Name" about="Members of your accounts see this name.">
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs" maw={460}>
          <TextInput
            flex={1}
            label="Your name"
            autoComplete="name"
            maxLength={100}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Button type="submit" disabled={text.trim() === (name ?? '')}>
            Save
          </Button>
        </Group>
      </form>
      {error === undefined ? null : <ErrorNotice error={error} />}
    </Section>
  )
}
