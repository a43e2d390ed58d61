import { changedFields } from '../../components/dialogs/changed-fields.ts'
import { useChange } from '../../graphql/use-change.ts'
import type { ServiceFields } from './service-inputs.tsx'
import { type ServiceRowFragment, UpdateServiceDocument } from './services.generated.ts'

export function useUpdateService(): (before: ServiceRowFragment, fields: ServiceFields) => Promise<void> {
  const update = useChange(UpdateServiceDocument, ['Service'])
  return async (before, fields) => {
    const changed = changedFields<ServiceFields>(before, fields)
    if (Object.keys(changed).length > 0) await update({ id: before.id, ...changed })
  }
}
