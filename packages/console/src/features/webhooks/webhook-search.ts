export interface WebhookSearch {
  /** The deliveries to show. Default: all deliveries. */
  show?: 'failed' | 'others'
  after?: string
  delivery?: string
}

/** Parses search parameters. Ignores invalid values. */
export function webhookSearch({ show, after, delivery }: Record<string, unknown>): WebhookSearch {
  return {
    ...(show === 'failed' || show === 'others' ? { show } : {}),
    ...(typeof after === 'string' && after !== '' ? { after } : {}),
    ...(typeof delivery === 'string' && delivery !== '' ? { delivery } : {}),
  }
}
