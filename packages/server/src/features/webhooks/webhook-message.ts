import { Webhook as Signer } from 'standardwebhooks'
import { uuidv7 } from './uuid.ts'

/** Creates a `webhook-id`. It contains no dots, because Standard Webhooks forbids them. Later ids sort after earlier ones. */
export const newMessageId = (): string => `msg_${uuidv7().replaceAll('-', '')}`

export interface Message {
  id: string
  /** Signed and sent as these bytes on every attempt. */
  body: string
}

/** The headers of one attempt, with a signature for each secret: after a rotation, the receiver may still use the old one. */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], now: Date): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, now, body)).join(' '),
  }
}
