import { invitationColumns, listInvitations } from '../../members/members.ts'
import { newListAllCommand } from '../list-all-command.ts'

export const buildCommand = () =>
  newListAllCommand('list', {
    columns: invitationColumns,
    usual: ['id', 'email', 'role', 'invitedBy', 'expires'],
    read: listInvitations,
    empty: 'No invitations found.',
  }).description('List open invitations and invitations that expired in the last seven days, newest first.')
