import { Alert, Group, Text } from '@mantine/core'
import { IconKeyOff } from '@tabler/icons-react'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useQuery } from 'urql'
import { BackLink, RouterButton } from '../../../app/links.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Loading } from '../../../components/loading.tsx'
import { Section } from '../../../components/section.tsx'
import { useLastValue } from '../../../hooks/use-last-value.ts'
import { SimulateButton } from '../../simulation/simulate-button.tsx'
import { useViewer } from '../../user-settings/viewer.ts'
import { KeyState, suspensionTexts } from './key-badges.tsx'
import { type AccessKeyDetails, KeyFacts } from './key-facts.tsx'
import { KeyMenu } from './key-menu.tsx'
import { AccessKeyDetailsDocument } from './keys.generated.ts'
import { KeyUsage } from './usage/key-usage.tsx'
import { useMayChange } from './use-may-change.ts'

export function KeyPage() {
  const { keyId } = useParams({ from: '/shell/account/keys/$keyId' })
  return <KeyDetails key={keyId} keyId={keyId} />
}

function KeyDetails({ keyId }: { keyId: string }) {
  const { may } = useViewer()
  const [days, setDays] = useState(90)
  const navigate = useNavigate()
  const variables = { key: keyId, days, canReadViews: may('DEVICE_READ') }
  const [{ data, error }, refetch] = useQuery({ query: AccessKeyDetailsDocument, variables })
  const login = useLastValue(data?.login ?? undefined)
  if (error !== undefined)
    return <ErrorNotice error={error} title="The key could not be loaded" onRetry={() => refetch()} />
  if (login === undefined) return <Loading what="access key" />
  const [accessKey] = login.accessKeys
  if (accessKey === undefined) return <KeyNotFound />
  const { name, suspended } = accessKey
  return (
    <>
      <BackLink to="/account/keys">Access keys</BackLink>
      <Section
        title={name ?? keyId}
        about={<KeyState state={accessKey} />}
        actions={
          <Group gap="xs">
            <SimulateKeyButton accessKey={accessKey} />
            <KeyMenu accessKey={accessKey} onDeleted={() => void navigate({ to: '/account/keys' })} />
          </Group>
        }
      >
        {suspended === null ? null : (
          <Alert color="red" mb="sm" title="This key does not work">
            <Text size="sm">{suspensionTexts[suspended] ?? suspended}</Text>
          </Alert>
        )}
        <KeyFacts accessKey={accessKey} />
      </Section>
      <KeyUsage accessKey={accessKey} days={days} onDays={setDays} />
    </>
  )
}

function SimulateKeyButton({ accessKey }: { accessKey: AccessKeyDetails }) {
  const { canSimulate } = useMayChange(accessKey)
  if (!canSimulate) return null
  const { key, name } = accessKey
  return <SimulateButton label="What may this key do?" title={`What may ${name ?? key} do?`} subject={{ key }} />
}

function KeyNotFound() {
  return (
    <EmptyState
      icon={<IconKeyOff size={22} />}
      title="Access key not found"
      action={<RouterButton to="/account/keys">Show all access keys</RouterButton>}
    >
      The key may have been deleted, or your role may not allow you to see it.
    </EmptyState>
  )
}
