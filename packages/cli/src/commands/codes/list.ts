import { codeColumns, codeFields } from '../../codes/code-columns.ts'
import { newListAllCommand } from '../list-all-command.ts'

export const buildCommand = () =>
  newListAllCommand('list', {
    columns: codeColumns,
    usual: ['id', 'prefix', 'name', 'used', 'uses', 'expires'],
    read: async (muster) =>
      (await muster.select({ login: { registrationCodes: codeFields } })).login?.registrationCodes ?? [],
    empty: 'No registration codes found.',
  })
