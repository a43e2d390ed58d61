import { Button, Group, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Section } from '../../../components/section.tsx'
import { linkIdentity, signInOptions } from '../../sign-in/auth-api.ts'
import { useLoad } from '../use-load.ts'

export function SingleSignOnSection({ isLinked }: { isLinked: boolean }) {
  const { data } = useLoad(signInOptions)
  const [error, setError] = useState<unknown>()
  const provider = data?.singleSignOn ?? null
  if (provider === null) return null
  const link = (): void => void linkIdentity().then(({ redirect }) => window.location.assign(redirect), setError)
  if (isLinked)
    return (
      <Section title="Single sign-on">
        <Group gap="xs" wrap="nowrap">
          <IconCheck size={18} aria-hidden="true" style={{ flexShrink: 0 }} />
          <Text>Your identity at {provider.name} is linked, so you can sign in with it.</Text>
        </Group>
      </Section>
    )
  return (
    <Section
      title="Single sign-on"
      about={`After you link your identity at ${provider.name}, you can sign in with it, even if its email address is different from yours.`}
    >
      <ErrorNotice error={error} title="The identity was not linked" />
      <Button variant="default" onClick={link}>
        Link {provider.name}
      </Button>
    </Section>
  )
}
