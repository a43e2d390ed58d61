import { randomBytes } from 'node:crypto'
import type { Secrets } from '../../auth/secrets.ts'
import type { WebhookAddress } from './webhook-channel.ts'

/** The length of a secret in bytes. Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32
const PREFIX = 'whsec_'

/** Generates a secret in the format that receivers expect: `whsec_` followed by base64. */
export const generateWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

export const sealSecret = (secrets: Secrets, webhook: WebhookAddress, secret: string): Buffer =>
  secrets.encrypt(ownerOf(webhook), Buffer.from(secret.slice(PREFIX.length), 'base64'))

export const openSecret = (secrets: Secrets, webhook: WebhookAddress, sealed: Buffer): string =>
  PREFIX + secrets.decrypt(ownerOf(webhook), sealed).toString('base64')

// The space distinguishes a webhook from an access key, because no ID of an access key contains a space. An
// encrypted secret of a webhook therefore cannot be decrypted as the secret of an access key, or vice versa.
const ownerOf = ({ accountId, webhookId }: WebhookAddress) => ({ accountId, key: `webhook ${webhookId}` })
