import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useQuery } from 'urql'
import { RouterAnchor } from '../../../app/links.tsx'
import { useAttempt } from '../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Loading } from '../../../components/loading.tsx'
import { NotAllowed } from '../../../components/not-allowed.tsx'
import { Section } from '../../../components/section.tsx'
import type { SignInPolicy } from '../../../graphql/schema-types.generated.ts'
import { useChange } from '../../../graphql/use-change.ts'
import { signInOptions } from '../../sign-in/auth-api.ts'
import { useViewer } from '../../user-settings/viewer.ts'
import { useLoad } from '../use-load.ts'
import { SetSignInPolicyDocument, SignInPolicyDocument } from './sign-in-policy.generated.ts'

export function SignInPolicyPage() {
  const { may } = useViewer()
  if (may('MEMBER_MANAGE') || may('AUDIT_READ')) return <Policy />
  return (
    <Section title="Sign-in policy">
      <NotAllowed permissions={['MEMBER_MANAGE', 'AUDIT_READ']}>
        You cannot see how members must sign in. Your own ways to sign in are in{' '}
        <RouterAnchor to="/account/security" inherit>
          Profile and security
        </RouterAnchor>
        .
      </NotAllowed>
    </Section>
  )
}

function Policy() {
  const { may } = useViewer()
  const [{ data, error }, refetch] = useQuery({ query: SignInPolicyDocument })
  const policy = data?.login?.signInPolicy
  if (error !== undefined && policy === undefined)
    return <ErrorNotice error={error} title="The policy could not be loaded" onRetry={refetch} />
  if (policy === undefined) return <Loading what="sign-in policy" />
  return (
    <Section
      title="Sign-in policy"
      about={
        may('ACCOUNT_MANAGE')
          ? 'This policy determines how members must sign in to use this account. It does not affect access keys.'
          : 'This policy determines how members must sign in to use this account. Only members with the permission ACCOUNT_MANAGE, such as admins, can change it.'
      }
    >
      <PolicyForm key={policy} policy={policy} canChange={may('ACCOUNT_MANAGE')} />
    </Section>
  )
}

function PolicyForm({ policy, canChange }: { policy: SignInPolicy; canChange: boolean }) {
  const { data: options, error: optionsError, reload } = useLoad(signInOptions)
  const change = useChange(SetSignInPolicyDocument)
  const [chosen, setChosen] = useState<string>(policy)
  const provider = options?.singleSignOn?.name
  const ssoDescription =
    provider === undefined
      ? 'This server has no identity provider. The server’s operator can configure one with MUSTER_OIDC_ISSUER.'
      : `With ${provider}.`
  const { submit, isRunning, error } = useAttempt(async () => {
    await change({ signInPolicy: chosen as SignInPolicy })
    notifications.show({ message: 'The sign-in policy was changed' })
  })
  return (
    <form onSubmit={submit}>
      <Stack maw={640}>
        <ErrorNotice error={error} title="The sign-in policy was not changed" />
        <ErrorNotice error={optionsError} title="The identity provider could not be loaded" onRetry={reload} />
        <Radio.Group label="Members must sign in" value={chosen} onChange={setChosen}>
          <Stack gap={8} mt={4}>
            <Radio value="ANY" label="in any way" disabled={!canChange} />
            <Radio
              value="SECOND_FACTOR"
              label="with a second factor"
              description="With a passkey, with a password and a code, or by single sign-on."
              disabled={!canChange}
            />
            <Radio
              value="SSO"
              label="by single sign-on"
              description={options === undefined ? undefined : ssoDescription}
              disabled={!canChange || (provider === undefined && policy !== 'SSO')}
            />
          </Stack>
        </Radio.Group>
        {canChange ? (
          <>
            <Text size="sm" c="dimmed">
              Within a second, sessions that do not meet the policy can no longer use this account, and their streams
              and download links stop working. You can choose only a policy that your own sign-in meets.
            </Text>
            <Group>
              <Button type="submit" loading={isRunning} disabled={chosen === policy}>
                Save
              </Button>
            </Group>
          </>
        ) : null}
      </Stack>
    </form>
  )
}
