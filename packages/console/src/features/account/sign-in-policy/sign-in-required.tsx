import { Anchor, Button, Container, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { addressOf } from '../../../app/account-path.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import type { SignInPolicy } from '../../../graphql/schema-types.generated.ts'
import { signInOptions, signOut, whoAmI } from '../../sign-in/auth-api.ts'
import { SingleSignOn } from '../../sign-in/single-sign-on.tsx'
import { accountLabel } from '../../user-settings/account-label.ts'
import { Passkeys } from '../security/passkeys.tsx'
import { TotpSection } from '../security/totp-section.tsx'
import { useLoad } from '../use-load.ts'

interface SignInRequiredProps {
  person: string
  required: Exclude<SignInPolicy, 'ANY'>
  others: readonly { id: string; name: string | null; email: string }[]
  page: string
}

export function SignInRequired({ person, required, others, page }: SignInRequiredProps) {
  useDocumentTitle('Sign in again · Muster')
  const { data: options, error, reload } = useLoad(signInOptions)
  const provider = options?.singleSignOn?.name
  const isSso = required === 'SSO'
  return (
    <Container component="main" size="sm" py="xl">
      <Stack>
        <Title order={1}>
          {isSso ? 'This account requires single sign-on' : 'This account requires a second factor'}
        </Title>
        <Text>
          You are signed in as {person}, but{' '}
          {isSso
            ? 'not by single sign-on.'
            : `without a second factor. Sign in with a passkey${provider === undefined ? ' or with a password and a code' : ', with a password and a code, or by single sign-on'}.`}
        </Text>
        <ErrorNotice error={error} title="The sign-in options could not be loaded" onRetry={reload} />
        {provider === undefined ? null : (
          <Paper withBorder p="md">
            <SingleSignOn name={provider} to={page} isOnlyWay />
          </Paper>
        )}
        {isSso && options !== undefined && provider === undefined ? (
          <Text>
            This server has no identity provider. Contact the operator of the server or an admin of the account.
          </Text>
        ) : null}
        {isSso ? null : <SecondFactor page={page} />}
        {others.length === 0 ? null : (
          <Stack gap="xs" align="flex-start">
            <Text>With your current sign-in, you can use these accounts:</Text>
            {others.map((account) => (
              <Anchor key={account.id} href={addressOf(account.id)} style={{ overflowWrap: 'anywhere' }} maw="100%">
                {accountLabel(account)}
              </Anchor>
            ))}
          </Stack>
        )}
      </Stack>
    </Container>
  )
}

function SecondFactor({ page }: { page: string }) {
  const { data, error, reload } = useLoad(whoAmI)
  const hasFactor = data?.totp === true || (data?.passkeys ?? 0) > 0
  const leave = (): void => {
    const next = `/sign-in?${new URLSearchParams({ next: page })}`
    void signOut().then(
      ({ redirect = next }) => window.location.assign(redirect),
      () => window.location.assign(next),
    )
  }
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      <Group>
        <Button onClick={leave}>Sign out and sign in again</Button>
      </Group>
      {data === undefined ? null : (
        <>
          <Text c="dimmed">
            {hasFactor
              ? 'You have already set up a second factor. Use it when you sign in.'
              : 'You have no second factor yet. Set one up first, then sign in again.'}
          </Text>
          <TotpSection isOn={data.totp ?? false} onChanged={reload} />
          <Passkeys />
        </>
      )}
    </>
  )
}
