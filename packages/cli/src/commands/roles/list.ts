import { listRoles, roleColumns } from '../../members/members.ts'
import { newListAllCommand } from '../list-all-command.ts'

export const buildCommand = () =>
  newListAllCommand('list', {
    columns: roleColumns,
    usual: ['id', 'name', 'members', 'permissions'],
    read: listRoles,
    empty: 'No roles found.',
  })
