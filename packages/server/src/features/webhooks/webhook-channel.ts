export interface WebhookAddress {
  accountId: string
  webhookId: string
}

export const webhookChannel = 'muster_webhook'

export const formatAddress = ({ accountId, webhookId }: WebhookAddress): string => `${accountId} ${webhookId}`

export function parseAddress(payload: string): WebhookAddress {
  const [accountId = '', webhookId = ''] = payload.split(' ')
  return { accountId, webhookId }
}
