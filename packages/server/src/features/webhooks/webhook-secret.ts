import { randomBytes } from 'node:crypto'
import type { Secrets } from '../../auth/secrets.ts'

/** Standard Webhooks: 24 to 64 bytes. */
const SECRET_BYTES = 32
const PREFIX = 'whsec_'

/** `whsec_` and base64, as receivers configure it. */
export const generateWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

export interface SecretHolder {
  accountId: string
  webhookId: string
}

export const sealSecret = (secrets: Secrets, holder: SecretHolder, secret: string): Buffer =>
  secrets.encrypt(ownerOf(holder), Buffer.from(secret.slice(PREFIX.length), 'base64'))

export const openSecret = (secrets: Secrets, holder: SecretHolder, sealed: Buffer): string =>
  PREFIX + secrets.decrypt(ownerOf(holder), sealed).toString('base64')

// Ids of access keys contain no space, so an encrypted secret of one kind cannot replace one of the other kind.
const ownerOf = ({ accountId, webhookId }: SecretHolder) => ({ accountId, key: `webhook ${webhookId}` })
