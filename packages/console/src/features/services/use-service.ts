import { useChange } from '../../graphql/use-change.ts'
import type { ServiceFields } from './service-form.tsx'
import { type ServiceRowFragment, UpdateServiceDocument } from './services.generated.ts'

/** Sends what differs, so that what others changed meanwhile stays. */
export function useUpdateService(): (before: ServiceRowFragment, fields: ServiceFields) => Promise<void> {
  const update = useChange(UpdateServiceDocument, ['Service'])
  return async (before, fields) => {
    const differs = Object.entries(fields).filter(([field, value]) => before[field as keyof ServiceFields] !== value)
    if (differs.length > 0) await update({ id: before.id, ...Object.fromEntries(differs) })
  }
}
