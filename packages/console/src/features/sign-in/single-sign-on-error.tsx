import { Alert } from '@mantine/core'

const messages: Readonly<Record<string, { title: string; text: string }>> = {
  'sso-denied': {
    title: 'The sign-in was denied',
    text: 'The identity provider denied the sign-in, or you canceled it. Start again. If the provider denies it again, ask the provider’s administrator for access.',
  },
  'sso-expired': {
    title: 'The sign-in can no longer be completed',
    text: 'The sign-in took longer than ten minutes or began in another browser, the identity provider’s response was already used, or your sessions were ended during the sign-in. Start again.',
  },
  'sso-not-invited': {
    title: 'You are not invited yet',
    text: 'Ask an admin of the account for an invitation. If you have a valid invitation, open its link and sign in from there.',
  },
  'sso-use-invitation': {
    title: 'Open your invitation first',
    text: 'There is an invitation for your email address. Open its link and sign in from there. If you do not have the link, ask the person who invited you for a new link.',
  },
  'sso-link-required': {
    title: 'The identity could not be linked',
    text: 'If a person or an account with your email address already exists, sign in another way, for example with your password or a passkey. Then link the identity under Account > Profile and security. If the identity is already linked to another person, use a different identity.',
  },
  'sso-disabled': {
    title: 'You cannot sign in',
    text: 'Your access to this server is disabled. Ask the operator of the server to enable it.',
  },
  'sso-unavailable': {
    title: 'Single sign-on is not available',
    text: 'Try again later. If the server accepts other ways to sign in, they still work. If the problem persists, ask the operator of the server to check the settings for single sign-on.',
  },
  'rate-limited': { title: 'Too many attempts', text: 'Wait a minute, then try again.' },
}

const failed = {
  title: 'The sign-in failed',
  text: 'Start again. If the sign-in fails again, ask the operator of the server to look for the reason in the server’s log.',
}

export function SingleSignOnError({ reason }: { reason: string }) {
  const { title, text } = Object.hasOwn(messages, reason) ? messages[reason]! : failed
  return (
    <Alert color="red" variant="light" title={title} role="alert" mb="md">
      {text}
    </Alert>
  )
}
