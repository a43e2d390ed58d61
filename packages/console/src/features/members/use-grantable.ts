import { useViewer } from '../user-settings/viewer.ts'
import type { RoleFieldsFragment } from './members.generated.ts'

/**
 * Returns a function that determines whether the user can grant a role. The user needs MEMBER_MANAGE and all
 * permissions of the role. Only owners can grant the role `owner`.
 */
export function useGrantable(): (role: RoleFieldsFragment) => boolean {
  const { may, isOwner } = useViewer()
  return ({ id, permissions }) =>
    may('MEMBER_MANAGE') && (id !== 'owner' || isOwner) && permissions.every((permission) => may(permission))
}
