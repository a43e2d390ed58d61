import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { addressOf } from '../../app/account-path.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { Time } from '../../components/time.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { useLoad } from '../account/use-load.ts'
import { signInOptions, type WhoAmI, whoAmI } from '../sign-in/auth-api.ts'
import { SignedOutPage } from '../sign-in/signed-out-page.tsx'
import { SingleSignOn } from '../sign-in/single-sign-on.tsx'
import { accountLabel } from '../user-settings/account-label.ts'
import { AcceptInvitationDocument } from './invitation.generated.ts'
import { describeInvitation, forgetToken, type Invitation, takeToken } from './invitation-api.ts'
import { NewPersonForm } from './new-person-form.tsx'

export function InvitationPage() {
  const [token] = useState(takeToken)
  const [shown, setShown] = useState<{ invitation: Invitation; user: WhoAmI['user'] }>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    Promise.all([describeInvitation(token), whoAmI()]).then(
      ([invitation, { user }]) => setShown({ invitation, user }),
      setError,
    )
  }, [token])
  return (
    <SignedOutPage title="Invitation">
      <ErrorNotice error={error} title="The invitation could not be loaded" />
      {shown === undefined && error === undefined ? <Loading what="invitation" /> : null}
      {shown === undefined ? null : <Shown token={token} {...shown} />}
    </SignedOutPage>
  )
}

interface ShownProps {
  token: string
  invitation: Invitation
  user: WhoAmI['user']
}

function Shown({ token, invitation, user }: ShownProps) {
  const { account, role, expires } = invitation
  return (
    <Stack>
      <Text style={{ overflowWrap: 'anywhere' }}>
        Join <b>{accountLabel(account)}</b> as <b>{role}</b>.
      </Text>
      <Text size="sm" c="dimmed">
        The link works once. It expires <Time value={expires} format="local" />.
      </Text>
      {user === null ? <NewPerson token={token} invitation={invitation} /> : <Join token={token} user={user} />}
    </Stack>
  )
}

function NewPerson({ token, invitation }: Pick<ShownProps, 'token' | 'invitation'>) {
  const { data, error, reload } = useLoad(signInOptions)
  if (error !== undefined)
    return <ErrorNotice error={error} title="The sign-in options could not be loaded" onRetry={reload} />
  if (data === undefined) return <Loading what="sign-in options" />
  const { password, singleSignOn } = data
  return (
    <>
      {password ? <NewPersonForm token={token} invitation={invitation} /> : null}
      {singleSignOn === null ? null : (
        <SingleSignOn name={singleSignOn.name} to="/" invitation={token} isOnlyWay={!password} />
      )}
    </>
  )
}

function Join({ token, user }: { token: string; user: NonNullable<WhoAmI['user']> }) {
  const accept = useChange(AcceptInvitationDocument)
  const [running, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const join = async (): Promise<void> => {
    setRunning(true)
    setError(undefined)
    try {
      const { acceptInvitation } = await accept({ token })
      forgetToken()
      window.location.assign(addressOf(acceptInvitation.id))
    } catch (failure) {
      setError(failure)
      setRunning(false)
    }
  }
  return (
    <>
      <ErrorNotice error={error} title="You did not join" />
      <Text style={{ overflowWrap: 'anywhere' }}>You are signed in as {user.email}.</Text>
      <Button onClick={join} loading={running}>
        Join
      </Button>
      <Anchor href="/" size="sm">
        Do not join
      </Anchor>
    </>
  )
}
