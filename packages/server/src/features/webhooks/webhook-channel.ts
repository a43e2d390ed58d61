/** Identifies a webhook that may have deliveries to send. */
export interface WebhookAddress {
  accountId: string
  webhookId: string
}

/** NOTIFY channel of the workers. */
export const webhookChannel = 'muster_webhook'

/** A payload of the channel. */
export const formatAddress = ({ accountId, webhookId }: WebhookAddress): string => `${accountId} ${webhookId}`

export function parseAddress(payload: string): WebhookAddress {
  const [accountId = '', webhookId = ''] = payload.split(' ')
  return { accountId, webhookId }
}
