import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { useTypes } from '../../graphql/use-change.ts'
import { KeyRow } from './key-row.tsx'
import { AccessKeysDocument } from './keys.generated.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { Section } from './section.tsx'
import { usageText } from './usage-text.ts'

const columns = ['Name', 'Key', 'May', 'Last used', 'Expires', 'Created', '']

export function KeysPage() {
  const [{ data, error }, again] = useQuery({ query: AccessKeysDocument, context: useTypes('AccessKey') })
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
          What programs sign their requests with. {usageText(data?.login?.limits, 'accessKeys')} Give each program its
          own, so that one can be switched off alone.
        </>
      }
      actions={create}
    >
      {error === undefined ? null : <ErrorNotice error={error} title="The keys could not be loaded" onRetry={again} />}
      {keys === undefined && error === undefined ? <Loading what="access keys" /> : null}
      {keys?.length === 0 ? (
        <EmptyState icon={<IconKey size={22} />} title="No access keys" action={create}>
          Without one, only this console reaches the API. Make one for the command line or your own programs.
        </EmptyState>
      ) : null}
      {keys === undefined || keys.length === 0 ? null : (
        <ListTable label="Access keys" columns={columns} minWidth={760}>
          {keys.map((key) => (
            <KeyRow key={key.key} accessKey={key} />
          ))}
        </ListTable>
      )}
      <NewKeyDialog opened={opened} onClose={close} />
    </Section>
  )
}
