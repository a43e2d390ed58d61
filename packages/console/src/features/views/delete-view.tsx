import { Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useQuery } from 'urql'
import { ConfirmDialog } from '../../components/dialogs/confirm-button.tsx'
import { useChange } from '../../graphql/use-change.ts'
import type { SavedView } from './use-views.ts'
import { type FilterKind, viewLists } from './view-lists.ts'
import { DeleteSavedViewDocument, ViewUsersDocument } from './views.generated.ts'

interface DeleteViewProps {
  kind: FilterKind
  view: SavedView
  views: readonly SavedView[]
  onClose(): void
  onDeleted(): void
}

/** Asks the user to confirm the deletion and, if the view is in use, to select a replacement. */
export function DeleteView({ kind, view, views, onClose, onDeleted }: DeleteViewProps) {
  const [{ data, fetching }] = useQuery({
    query: ViewUsersDocument,
    variables: { id: view.id },
    requestPolicy: 'network-only',
  })
  const [replaceBy, setReplaceBy] = useState<string | null>(null)
  const remove = useChange(DeleteSavedViewDocument, ['View'])
  const users = data?.login?.views[0]?.usedBy ?? []
  if (fetching) return null
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Delete view ${view.name}`}
      confirm="Delete view"
      danger
      onConfirm={async () => {
        await remove({ id: view.id, replaceBy })
        onDeleted()
      }}
    >
      <Stack gap="sm">
        <Text size="sm">
          The view’s {viewLists[kind].what} are not deleted. Links and commands that use the view will no longer work.
        </Text>
        {users.length === 0 ? null : (
          <>
            <Text size="sm">The view is in use by {users.map(describe).join(', ')}.</Text>
            <Select
              label="Replacement"
              description="The roles, access keys, and webhooks listed above will use this view instead."
              placeholder="Select a view"
              data={views.filter(({ id }) => id !== view.id).map(({ id, name }) => ({ value: id, label: name }))}
              value={replaceBy}
              onChange={setReplaceBy}
              searchable
              clearable
            />
          </>
        )}
      </Stack>
    </ConfirmDialog>
  )
}

const kinds: Readonly<Record<string, string>> = { accessKey: 'access key' }

const describe = ({ kind, name }: { kind: string; name: string }): string => `the ${kinds[kind] ?? kind} ${name}`
