import { webhookColumns, webhookFields } from '../../webhooks/webhook-columns.ts'
import { newListAllCommand } from '../list-all-command.ts'

export const buildCommand = () =>
  newListAllCommand('list', {
    columns: webhookColumns,
    usual: ['id', 'name', 'url', 'enabled', 'paused', 'events'],
    read: async (muster) => (await muster.select({ login: { webhooks: webhookFields } })).login?.webhooks ?? [],
    empty: 'No webhooks found.',
  })
