import { keyColumns, keyFields } from '../../keys/key-columns.ts'
import { newListAllCommand } from '../list-all-command.ts'

export const buildCommand = () =>
  newListAllCommand('list', {
    columns: keyColumns,
    usual: ['key', 'name', 'enabled', 'readOnly', 'algorithm', 'expires', 'lastUsed'],
    read: async (muster) => (await muster.select({ login: { accessKeys: keyFields } })).login?.accessKeys ?? [],
    empty: 'No access keys found.',
  })
