import type { Secrets } from '../../../auth/secrets.ts'
import type { Outbound, OutboundResult } from '../../../outbound/outbound-post.ts'
import { version } from '../../../version.ts'
import { type Message, signedHeaders } from '../signed-message.ts'
import type { WebhookAddress } from '../webhook-channel.ts'
import { openSecret } from '../webhook-secret.ts'
import type { SendableRow } from '../webhooks.queries.ts'

export interface Receiver {
  url: URL
  secrets: string[]
}

export function receiverOf(
  row: SendableRow,
  webhook: WebhookAddress,
  { secrets, now }: { secrets: Secrets; now: Date },
): Receiver {
  const isOverlapping = row.formerSecret !== null && row.formerSecretUntil !== null && row.formerSecretUntil > now
  const sealed = isOverlapping ? [row.encryptedSecret, row.formerSecret!] : [row.encryptedSecret]
  return { url: new URL(row.url), secrets: sealed.map((each) => openSecret(secrets, webhook, each)) }
}

export interface AttemptOptions {
  outbound: Outbound
  now: Date
  signal?: AbortSignal
}

export async function attempt(
  message: Message,
  { url, secrets }: Receiver,
  { outbound, now, signal }: AttemptOptions,
): Promise<OutboundResult> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': `Muster/${version}`,
    ...signedHeaders(message, secrets, now),
  }
  const result = await outbound.post({ url, headers, body: message.body, ...(signal && { signal }) })
  return withoutSignatures(result, headers['webhook-signature'] ?? '')
}

/**
 * Removes the signatures from the response. The server saves the start of the response, and some receivers echo the
 * request.
 */
function withoutSignatures(result: OutboundResult, signatures: string): OutboundResult {
  if (result.status === null) return result
  const macs = signatures.split(' ').map((each) => each.replace(/^v1,/, ''))
  return { ...result, body: macs.reduce((body, mac) => body.replaceAll(mac, '[signature]'), result.body) }
}
