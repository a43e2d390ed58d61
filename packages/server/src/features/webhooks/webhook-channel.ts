export interface WebhookAddress {
  accountId: string
  webhookId: string
}

export const distinctWebhooks = (addresses: readonly WebhookAddress[]): WebhookAddress[] => [
  ...new Map(addresses.map(({ accountId, webhookId }) => [webhookId, { accountId, webhookId }])).values(),
]

export const webhookChannel = 'muster_webhook'

export const formatAddress = ({ accountId, webhookId }: WebhookAddress): string => `${accountId} ${webhookId}`

export function parseAddress(payload: string): WebhookAddress {
  const [accountId = '', webhookId = ''] = payload.split(' ')
  return { accountId, webhookId }
}
