import { useChange } from '../../graphql/use-change.ts'
import type { ServiceFields } from './service-inputs.tsx'
import { type ServiceRowFragment, UpdateServiceDocument } from './services.generated.ts'

/** Sends only changed fields, so that concurrent changes to other fields are kept. */
export function useUpdateService(): (before: ServiceRowFragment, fields: ServiceFields) => Promise<void> {
  const update = useChange(UpdateServiceDocument, ['Service'])
  return async (before, fields) => {
    const changed = Object.entries(fields).filter(([field, value]) => before[field as keyof ServiceFields] !== value)
    if (changed.length > 0) await update({ id: before.id, ...Object.fromEntries(changed) })
  }
}
