import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { whoAmI } from '../sign-in/auth-api.ts'
import { SignedOutPage } from '../sign-in/signed-out-page.tsx'
import {
  type CommandLineRequest,
  describeRequest,
  forgetRequest,
  type RequestIdentifier,
  takeRequest,
} from './command-line-api.ts'
import { RequestForm } from './request-form.tsx'

export function CommandLinePage() {
  const navigate = useNavigate()
  const [identifier, setIdentifier] = useState<RequestIdentifier | undefined>(() => {
    const request = takeRequest()
    return request === undefined ? undefined : { request }
  })
  const [email, setEmail] = useState<string>()
  const [found, setFound] = useState<CommandLineRequest>()
  const [failure, setFailure] = useState<{ error: unknown; title: string }>()

  useEffect(() => {
    whoAmI().then(
      ({ user }) => {
        if (user === null) void navigate({ to: '/sign-in', search: { next: '/command-line' }, replace: true })
        else setEmail(user.email)
      },
      (error: unknown) => setFailure({ error, title: 'Your sign-in could not be checked' }),
    )
  }, [navigate])
  useEffect(() => {
    if (email === undefined || identifier === undefined) return
    describeRequest(identifier).then(setFound, (error: unknown) => {
      forgetRequest()
      setIdentifier(undefined)
      setFailure({ error, title: 'The request could not be loaded' })
    })
  }, [email, identifier])

  const isTyping = email !== undefined && identifier === undefined
  return (
    <SignedOutPage title="Command-line sign-in">
      <Stack>
        {failure === undefined ? null : <ErrorNotice {...failure} />}
        {isTyping ? <CodeForm onCode={(code) => setIdentifier({ code })} /> : null}
        {!isTyping && found === undefined && failure === undefined ? <Loading what="request" /> : null}
        {identifier === undefined || found === undefined || email === undefined ? null : (
          <RequestForm identifier={identifier} found={found} email={email} />
        )}
      </Stack>
    </SignedOutPage>
  )
}

function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const [code, setCode] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onCode(code)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          Type the code only if you have just run <code>muster login</code> yourself.
        </Text>
        <TextInput
          label="Code"
          description="The eight letters that the terminal shows"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
        />
        <Button type="submit" disabled={code.trim() === ''}>
          Continue
        </Button>
      </Stack>
    </form>
  )
}
