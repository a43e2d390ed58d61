import { Badge, Group, Text } from '@mantine/core'
import { ConfirmButton } from '../../../components/dialogs/confirm-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ListRow, ListTable } from '../../../components/list-table.tsx'
import { Loading } from '../../../components/loading.tsx'
import { Section } from '../../../components/section.tsx'
import { Time } from '../../../components/time.tsx'
import { signedOut } from '../../../graphql/signed-out.ts'
import { listSessions, revokeAllSessions, revokeOtherSessions, revokeSession, type Session } from '../account-api.ts'
import { useLoad } from '../use-load.ts'
import { describeAgent } from './describe-agent.ts'

const columns = ['Browser', 'IP address', 'Last used', 'Signed in', 'Expires', '']

export function SessionsPage() {
  const { data: sessions, error, reload } = useLoad(listSessions)
  const hasOthers = sessions !== undefined && sessions.length > 1
  return (
    <Section
      title="Sessions"
      about="Browsers in which you are signed in. A session that you end stops working within a second."
      actions={
        <Group gap="xs">
          {hasOthers ? (
            <ConfirmButton
              label="Sign out other browsers"
              title="Sign out all other browsers?"
              confirm="Sign out other browsers"
              onConfirm={() => revokeOtherSessions().then(reload)}
            >
              Only this browser stays signed in.
            </ConfirmButton>
          ) : null}
          <ConfirmButton
            label="Sign out everywhere"
            title="Sign out everywhere?"
            confirm="Sign out everywhere"
            danger
            onConfirm={() => revokeAllSessions().then(signedOut.announce)}
          >
            All sessions end, including this one. Access keys keep working.
          </ConfirmButton>
        </Group>
      }
    >
      <ErrorNotice error={error} title="The sessions could not be loaded" onRetry={reload} />
      {sessions === undefined && error === undefined ? <Loading what="sessions" /> : null}
      {sessions === undefined ? null : (
        <ListTable label="Sessions" columns={columns}>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} onEnded={reload} />
          ))}
        </ListTable>
      )}
    </Section>
  )
}

function SessionRow({ session, onEnded }: { session: Session; onEnded: () => Promise<void> }) {
  const { id, current, address, agent, lastUsed, created, expires } = session
  const name = describeAgent(agent)
  return (
    <ListRow>
      <Group gap="xs">
        <Text span inherit title={agent ?? undefined}>
          {name}
        </Text>
        {current ? <Badge color="teal">this browser</Badge> : null}
      </Group>
      {address}
      <Time value={lastUsed} />
      <Time value={created} />
      <Time value={expires} />
      {current ? null : (
        <ConfirmButton
          label="End"
          size="compact-sm"
          title={`End the session in ${name}?`}
          confirm="End session"
          danger
          onConfirm={() => revokeSession(id).then(onEnded)}
        >
          To use the console in that browser, you must sign in again.
        </ConfirmButton>
      )}
    </ListRow>
  )
}
