import { Webhook as Signer } from 'standardwebhooks'
import { uuidv7 } from './uuid.ts'

/**
 * Returns a new message ID. The ID contains no dots, because dots separate the ID, the timestamp, and the body in the
 * signed content (Standard Webhooks, "Signature scheme"). Within a process, later IDs sort after earlier IDs.
 */
export const newMessageId = (): string => `msg_${uuidv7().replaceAll('-', '')}`

export interface Message {
  id: string
  /** Every attempt signs and sends exactly these bytes. */
  body: string
}

/** Signs the message with each secret, because a receiver may still use the previous secret after a rotation. */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], now: Date): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, now, body)).join(' '),
  }
}
