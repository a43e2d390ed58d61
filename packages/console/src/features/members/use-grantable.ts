import { useViewer } from '../user-settings/viewer.ts'
import type { RoleFieldsFragment } from './members.generated.ts'

export function useGrantable(): (role: RoleFieldsFragment) => boolean {
  const { may, isOwner } = useViewer()
  return ({ id, permissions }) =>
    may('MEMBER_MANAGE') && (id !== 'owner' || isOwner) && permissions.every((permission) => may(permission))
}
