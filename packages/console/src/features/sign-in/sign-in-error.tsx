import { Alert } from '@mantine/core'
import { useEffect, useState } from 'react'
import { describeError } from '../../graphql/describe-error.ts'
import { AuthError } from './auth-call.ts'

export function SignInError({ error }: { error: unknown }) {
  const { title, text } = describe(error)
  return (
    <Alert color="red" variant="light" title={title} role="alert">
      {error instanceof AuthError && error.retryAfter !== undefined ? <Wait seconds={error.retryAfter} /> : text}
    </Alert>
  )
}

function Wait({ seconds }: { seconds: number }) {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const until = Date.now() + seconds * 1000
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 500)
    return () => clearInterval(timer)
  }, [seconds])
  return left === 0 ? 'You can try again now.' : `Wait ${left} s, then try again.`
}

function describe(error: unknown): { title: string; text: string } {
  // The browser reports these errors if the user closed the dialog, if it timed out, or if there is no passkey.
  if (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError'))
    return {
      title: 'No passkey was used',
      text: 'The browser’s dialog was closed or timed out, or the browser has no passkey for this site. Try again, or use your password.',
    }
  if (error instanceof Error && error.name === 'SecurityError')
    return {
      title: 'Passkeys do not work at this address',
      text: 'A passkey works only at the host name that it was created for. Open the console at that host name, or use your password.',
    }
  const { what, advice } = describeError(error)
  if (!(error instanceof AuthError)) return { title: what, text: advice ?? '' }
  if (error.code === 'RATE_LIMITED') return { title: 'Too many attempts', text: what }
  if (error.reason === 'wrong-password')
    return {
      title: 'Wrong email or password',
      text: 'Check the email address and the password. Passwords are case-sensitive.',
    }
  if (error.reason === 'wrong-code')
    return {
      title: 'Wrong code',
      text: 'Each code works only once, and the app’s code changes every 30 seconds. Check whether the form asks for the app’s code or for a backup code.',
    }
  if (error.reason === 'sign-in-expired')
    return {
      title: 'The sign-in can no longer be completed',
      text: 'The sign-in took too long, too many codes were wrong, or the passkey or authenticator app was removed during the sign-in. Start over.',
    }
  return { title: 'Sign-in failed', text: what }
}
