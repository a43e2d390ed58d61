import { useNavigate } from '@tanstack/react-router'
import type { BulkOperationInput } from '../../../graphql/schema-types.generated.ts'
import { useChange } from '../../../graphql/use-change.ts'
import { PreviewBulkDocument } from '../../bulk/bulk.generated.ts'
import { AppendBulkDocument, CreateBulkDocument } from './bulk.generated.ts'
import { matching, type SelectedDevices } from './selected-devices.ts'

/** The API accepts at most this many IDs per request. */
const MAX_IDS = 1000

/** The API accepts at most this many characters in a job's name. */
const NAME_LENGTH = 100

export function useCreateJob({ selected, filter }: SelectedDevices) {
  const create = useChange(CreateBulkDocument, ['BulkJob'])
  const append = useChange(AppendBulkDocument)
  const preview = useChange(PreviewBulkDocument, ['BulkJob'])
  const navigate = useNavigate()
  return async (fullName: string, operation: BulkOperationInput): Promise<void> => {
    const name = [...fullName].slice(0, NAME_LENGTH).join('')
    const operations = [operation]
    const ids = selected.kind === 'some' ? [...selected.ids] : []
    const target = selected.kind === 'all' ? matching(filter, selected.except) : { ids: ids.slice(0, MAX_IDS) }
    const open = ids.length > MAX_IDS
    const { id } = (await create({ target, operations, name, open })).createBulk
    for (let start = MAX_IDS; start < ids.length; start += MAX_IDS)
      await append({ id, ids: ids.slice(start, start + MAX_IDS) })
    if (open) await preview({ id })
    await navigate({ to: '/changes/$jobId', params: { jobId: id } })
  }
}
