import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Loading } from '../../../components/loading.tsx'
import { useTypes } from '../../../graphql/use-change.ts'
import { Section } from '../section.tsx'
import { usageText } from '../usage-text.ts'
import { KeyList } from './key-list.tsx'
import { AccessKeysDocument } from './keys.generated.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'

export function KeysPage() {
  const [{ data, error }, refetch] = useQuery({ query: AccessKeysDocument, context: useTypes('AccessKey') })
  const [opened, { open, close }] = useDisclosure()
  const keys = data?.login?.accessKeys
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New access key
    </Button>
  )
  return (
    <Section
      title="Access keys"
      about={
        <>
          Programs sign their requests with these keys. {usageText(data?.login?.limits, 'accessKeys')} Create a separate
          key for each program, so that you can disable one without affecting the others.
        </>
      }
      actions={create}
    >
      {error === undefined ? null : (
        <ErrorNotice error={error} title="The keys could not be loaded" onRetry={refetch} />
      )}
      {keys === undefined && error === undefined ? <Loading what="access keys" /> : null}
      {keys?.length === 0 ? (
        <EmptyState icon={<IconKey size={22} />} title="No access keys" action={create}>
          Create a key to use the API from the command line or from your programs.
        </EmptyState>
      ) : null}
      {keys === undefined || keys.length === 0 ? null : <KeyList keys={keys} />}
      <NewKeyDialog opened={opened} onClose={close} />
    </Section>
  )
}
