import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useClient } from 'urql'
import { useChange } from '../../graphql/use-change.ts'
import { ViewerDocument } from '../user-settings/viewer.generated.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { RenameAccountDocument } from './account.generated.ts'
import { RenameDialog } from './rename-dialog.tsx'

export function RenameAccount() {
  const { name } = useViewer()
  const client = useClient()
  const [opened, { open, close }] = useDisclosure()
  const change = useChange(RenameAccountDocument, ['User'])
  const rename = async (next: string | null): Promise<void> => {
    await change({ name: next })
    await client.query(ViewerDocument, {}, { requestPolicy: 'network-only' }).toPromise()
    notifications.show({ message: 'The account name was changed' })
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        {name === null ? 'Name this account' : 'Rename account'}
      </Button>
      <RenameDialog opened={opened} onClose={close} what="account" confirm="Save" name={name} onRename={rename} />
    </>
  )
}
