import { Button } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { linkIdentity, signInOptions } from '../../sign-in/auth-api.ts'
import { Section } from '../section.tsx'
import { useLoad } from '../use-load.ts'

export function SingleSignOnSection() {
  const { data } = useLoad(signInOptions)
  const [error, setError] = useState<unknown>()
  const provider = data?.singleSignOn ?? null
  if (provider === null) return null
  const link = (): void => void linkIdentity().then(({ redirect }) => window.location.assign(redirect), setError)
  return (
    <Section
      title="Single sign-on"
      about={`After you link your identity at ${provider.name}, you can sign in with it, whatever its email address.`}
    >
      {error === undefined ? null : <ErrorNotice error={error} title="The identity was not linked" />}
      <Button variant="default" onClick={link}>
        Link {provider.name}
      </Button>
    </Section>
  )
}
