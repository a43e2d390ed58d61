import type { Webhook } from '@muster/client'
import { printJson, printOne, say } from '../output/print-one.ts'
import { webhookColumns } from './webhook-columns.ts'

/** A webhook as it is after a change, with its secret where that has just been made. */
export async function tellWebhook(webhook: Webhook, { json }: { json?: boolean }): Promise<void> {
  const { secret, ...rest } = webhook
  if (json) return printJson(secret === null ? rest : webhook)
  await printOne(webhook, webhookColumns)
  if (secret === null) return
  await say(`Secret: ${secret}`)
  console.error('The secret is shown this once. The receiver checks with it who sends.')
}
