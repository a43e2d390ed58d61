import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { AuthError } from '../sign-in/auth-call.ts'
import { ConfirmSignIn } from '../sign-in/confirm-sign-in.tsx'
import {
  approveRequest,
  type CommandLineRequest,
  denyRequest,
  forgetRequest,
  type RequestIdentifier,
} from './command-line-api.ts'

interface RequestFormProps {
  identifier: RequestIdentifier
  found: CommandLineRequest
  email: string
}

export function RequestForm({ identifier, found, email }: RequestFormProps) {
  const { request, accounts } = found
  const usable = accounts.filter(({ requiredSignIn }) => requiredSignIn === null)
  const [accountId, setAccountId] = useState(usable[0]?.id)
  const [running, setRunning] = useState<'allow' | 'deny'>()
  const [isConfirming, setConfirming] = useState(false)
  const [done, setDone] = useState<'allowed' | 'denied'>()
  const [error, setError] = useState<unknown>()
  const account = usable.find(({ id }) => id === accountId)
  const needsSingleSignOn = accounts.every(({ requiredSignIn }) => requiredSignIn === 'SSO')

  const finish = (outcome: 'allowed' | 'denied', redirect: string | undefined): void => {
    forgetRequest()
    setConfirming(false)
    setDone(outcome)
    if (redirect !== undefined) window.location.assign(redirect)
  }
  const approve = async (): Promise<void> => {
    if (accountId !== undefined) finish('allowed', (await approveRequest(identifier, accountId)).redirect)
  }
  const run = async (what: 'allow' | 'deny', work: () => Promise<void>): Promise<void> => {
    setRunning(what)
    setError(undefined)
    try {
      await work()
    } catch (failure) {
      if (failure instanceof AuthError && failure.reason === 'sign-in-too-old') setConfirming(true)
      else setError(failure)
    } finally {
      setRunning(undefined)
    }
  }

  if (done !== undefined)
    return (
      <Text role="status">
        {done === 'allowed' ? 'You allowed the request.' : 'You denied the request.'} You can close this page and return
        to the terminal.
      </Text>
    )
  if (isConfirming) return <ConfirmSignIn onConfirmed={approve} onCancel={() => setConfirming(false)} />
  return (
    <Stack>
      <ErrorNotice error={error} title="Your decision was not saved" />
      <Text style={{ overflowWrap: 'anywhere' }}>
        A machine that calls itself <b>{request.machine}</b>, at the address <b>{request.address}</b>, asks for an
        access key.
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        You are signed in as {email}. Deny the request if you have not just run <code>muster login</code>.
      </Text>
      {usable.length > 1 ? (
        <Select
          label="Account"
          data={usable.map(({ id, email: label }) => ({ value: id, label }))}
          value={accountId ?? null}
          onChange={(value) => setAccountId(value ?? undefined)}
          allowDeselect={false}
        />
      ) : null}
      {account === undefined ? (
        <Text>
          {accounts.length === 0
            ? 'You are not a member of any account. Ask an admin of an account for an invitation.'
            : `None of your accounts allows your current sign-in. Sign in again ${needsSingleSignOn ? '' : 'with a second factor or '}by single sign-on.`}
        </Text>
      ) : (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          The key may do what you may do in {account.email} as <b>{account.roleName}</b>:{' '}
          {account.permissions.join(', ')}
          {account.isRestricted ? ', for the devices and attributes to which the role is restricted' : ''}. It expires
          after 90 days, or earlier if the key policy of the account requires it.
        </Text>
      )}
      {accounts.length === usable.length ? null : (
        <Text size="sm">You cannot choose accounts that require a different kind of sign-in.</Text>
      )}
      <Group justify="flex-end">
        <Button
          variant="default"
          loading={running === 'deny'}
          onClick={() => run('deny', async () => finish('denied', (await denyRequest(identifier)).redirect))}
        >
          Deny
        </Button>
        <Button loading={running === 'allow'} disabled={account === undefined} onClick={() => run('allow', approve)}>
          Allow
        </Button>
      </Group>
    </Stack>
  )
}
