import type { Webhook } from '@muster/client'
import { printJson, printOne, say } from '../output/print-result.ts'
import { type WebhookRow, webhookColumns } from './webhook-columns.ts'

export async function printWebhook(webhook: Webhook, { json }: { json?: boolean }): Promise<void> {
  const { secret, view, ...rest } = webhook
  const row: WebhookRow = { ...rest, view: view && { id: view.id, name: view.name } }
  if (json) return printJson(secret === null ? row : { ...row, secret })
  await printOne(row, webhookColumns)
  if (secret === null) return
  await say(`Secret: ${secret}`)
  console.error('The secret is shown only once. The receiver uses it to verify deliveries.')
}
