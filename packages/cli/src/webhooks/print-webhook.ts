import type { Webhook } from '@muster/client'
import { printJson, printOne, say } from '../output/print-one.ts'
import { webhookColumns } from './webhook-columns.ts'

/** Prints a webhook after a change, including the secret if it is new. */
export async function printWebhook(webhook: Webhook, { json }: { json?: boolean }): Promise<void> {
  const { secret, ...rest } = webhook
  if (json) return printJson(secret === null ? rest : webhook)
  await printOne(webhook, webhookColumns)
  if (secret === null) return
  await say(`Secret: ${secret}`)
  console.error('The secret is shown only once. The receiver uses it to verify deliveries.')
}
