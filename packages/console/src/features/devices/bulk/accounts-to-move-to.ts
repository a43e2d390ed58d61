import type { Me, Viewer } from '../../user-settings/viewer.ts'

export const accountsToMoveTo = ({ id, me }: Pick<Viewer, 'id' | 'me'>): Me['accounts'] =>
  me.accounts.filter(
    ({ account, role, requiredSignIn }) =>
      account.id !== id &&
      requiredSignIn === null &&
      role.permissions.includes('DEVICE_CREATE') &&
      role.where === null &&
      role.attributes === null,
  )
