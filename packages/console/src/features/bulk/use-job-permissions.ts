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
 * A job from a CSV file has no operations. The permissions that it needs depend on the columns of the file, which only
 * the server checks. For such a job, returns a permission only if the user has none of the permissions that a CSV file
 * can require.
 */
export function useMissingPermissions({ operations }: { operations: readonly object[] }): Permission[] {
  const { may } = useViewer()
  const needed = new Set(operations.flatMap((operation) => Object.keys(operation).flatMap((kind) => needs[kind] ?? [])))
  if (needed.size > 0) return [...needed].filter((permission) => !may(permission))
  const some = ['ATTRIBUTE_WRITE', 'DEVICE_WRITE', 'DEVICE_CREATE', 'DEVICE_DELETE'] as const
  return some.some(may) ? [] : ['DEVICE_WRITE']
}
