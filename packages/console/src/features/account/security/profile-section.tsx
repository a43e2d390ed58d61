import { Button, Group, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useClient } from 'urql'
import { useAttempt } from '../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Section } from '../../../components/section.tsx'
import { ViewerDocument } from '../../user-settings/viewer.generated.ts'
import { useViewer } from '../../user-settings/viewer.ts'
import { changeName } from '../account-api.ts'

export function ProfileSection() {
  const name = useViewer().me.person?.name ?? null
  const client = useClient()
  const [text, setText] = useState(name ?? '')
  const { submit, error } = useAttempt(async () => {
    await changeName(text.trim() || null)
    await client.query(ViewerDocument, {}, { requestPolicy: 'network-only' }).toPromise()
    notifications.show({ message: 'Your name was changed' })
  })
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
      <ErrorNotice error={error} />
    </Section>
  )
}
