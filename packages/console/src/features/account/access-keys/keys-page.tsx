import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Loading } from '../../../components/loading.tsx'
import { NotAllowed } from '../../../components/not-allowed.tsx'
import { Section } from '../../../components/section.tsx'
import { useTypes } from '../../../graphql/use-change.ts'
import { useViewer } from '../../user-settings/viewer.ts'
import { usageText } from '../usage-text.ts'
import { KeyList } from './key-list.tsx'
import { AccessKeysDocument } from './keys.generated.ts'
import { NewKeyDialog } from './new-key/new-key-dialog.tsx'
import { KeyPolicySection } from './policy/key-policy-section.tsx'

export function KeysPage() {
  const { may } = useViewer()
  if (may('KEY_OWN') || may('KEY_MANAGE') || may('AUDIT_READ')) return <Keys />
  return (
    <Section title="Access keys">
      <NotAllowed permissions={['KEY_OWN', 'KEY_MANAGE', 'AUDIT_READ']}>
        You cannot have personal access keys or see the access keys of this account.
      </NotAllowed>
    </Section>
  )
}

function Keys() {
  const { may } = useViewer()
  const canReadPolicy = may('KEY_MANAGE') || may('AUDIT_READ')
  const canCreate = may('KEY_MANAGE') || may('KEY_OWN')
  const context = useTypes('AccessKey', 'KeyPolicy')
  const [{ data, error }, refetch] = useQuery({ query: AccessKeysDocument, variables: { canReadPolicy }, context })
  const [opened, { open, close }] = useDisclosure()
  const keys = data?.login?.accessKeys
  const policy = data?.login?.keyPolicy
  const create = canCreate ? (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New access key
    </Button>
  ) : undefined
  return (
    <>
      <Section
        title="Access keys"
        about={
          <>
            Programs sign their requests with these keys. {usageText(data?.login?.limits, 'accessKeys', 'access keys')}{' '}
            Create a separate key for each program, so that you can disable a key without affecting other programs.
            {canReadPolicy ? '' : ' You see only your personal keys.'}
          </>
        }
        actions={create}
      >
        <ErrorNotice error={error} title="The keys could not be loaded" onRetry={refetch} />
        {keys === undefined && error === undefined ? <Loading what="access keys" /> : null}
        {keys?.length === 0 ? (
          <EmptyState icon={<IconKey size={22} />} title="No access keys" action={create}>
            You need a key to use the API from the command line or from your programs.
          </EmptyState>
        ) : null}
        {keys === undefined || keys.length === 0 ? null : <KeyList keys={keys} />}
        {canCreate ? <NewKeyDialog policy={policy} opened={opened} onClose={close} /> : null}
      </Section>
      {policy === undefined ? null : <KeyPolicySection policy={policy} />}
    </>
  )
}
