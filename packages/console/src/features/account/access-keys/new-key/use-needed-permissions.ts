import { useClient } from 'urql'
import { errorText } from '../../../../graphql/describe-error.ts'
import type { Permission } from '../../../../graphql/schema-types.generated.ts'
import { describePermissions } from '../../../access/permissions.ts'
import { useViewer } from '../../../user-settings/viewer.ts'
import { NeededPermissionsDocument } from '../keys.generated.ts'

/**
 * Returns a function that resolves to the permissions that a document needs. If the query fails, for example because
 * the document is invalid, the function resolves to an error message instead. The same applies if the user lacks one of
 * the permissions.
 */
export function useNeededPermissions(): (document: string) => Promise<Permission[] | string> {
  const client = useClient()
  const { may } = useViewer()
  return async (document) => {
    const { data, error } = await client.query(NeededPermissionsDocument, { document }).toPromise()
    if (error !== undefined) return errorText(error, { document: 'The document' })
    const needed = [...new Set(data?.login?.needs.map(({ permission }) => permission))]
    const missing = needed.filter((permission) => !may(permission))
    return missing.length === 0
      ? needed
      : `You cannot create this key, because your role does not allow the following: ${describePermissions(missing)}`
  }
}
