import type { Permission } from '../../graphql/schema-types.generated.ts'
import { useViewer } from '../user-settings/viewer.ts'

const needs: Readonly<Record<string, Permission>> = {
  setAttributes: 'ATTRIBUTE_WRITE',
  update: 'DEVICE_WRITE',
  addService: 'DEVICE_WRITE',
  removeService: 'DEVICE_WRITE',
  delete: 'DEVICE_DELETE',
}

/**
 * Returns the permissions that the job's operations need and that the user does not have. A job from a CSV file can have
 * no operations, and only the server knows which permissions the file's columns require. For a job without operations,
 * returns `DEVICE_WRITE` if the user has none of the permissions that a CSV file can require. Otherwise, returns no
 * permissions.
 */
export function useMissingPermissions({ operations }: { operations: readonly object[] }): Permission[] {
  const { may } = useViewer()
  const needed = new Set(operations.flatMap((operation) => Object.keys(operation).flatMap((kind) => needs[kind] ?? [])))
  if (needed.size > 0) return [...needed].filter((permission) => !may(permission))
  const some = ['ATTRIBUTE_WRITE', 'DEVICE_WRITE', 'DEVICE_CREATE', 'DEVICE_DELETE'] as const
  return some.some(may) ? [] : ['DEVICE_WRITE']
}
