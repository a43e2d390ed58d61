import { listMembers, memberColumns } from '../../members/members.ts'
import { newListAllCommand } from '../list-all-command.ts'

export const buildCommand = () =>
  newListAllCommand('list', {
    columns: memberColumns,
    usual: ['email', 'name', 'role', 'source', 'accountKeys', 'lastUsed'],
    read: listMembers,
    empty: 'No members found.',
  })
