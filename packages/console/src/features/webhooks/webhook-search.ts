interface WebhookSearch {
  /** Shows only the failed deliveries, or only the others. By default, shows all deliveries. */
  show?: 'failed' | 'others'
  after?: string
  delivery?: string
}

export function webhookSearch({ show, after, delivery }: Record<string, unknown>): WebhookSearch {
  return {
    ...(show === 'failed' || show === 'others' ? { show } : {}),
    ...(typeof after === 'string' && after !== '' ? { after } : {}),
    ...(typeof delivery === 'string' && delivery !== '' ? { delivery } : {}),
  }
}
