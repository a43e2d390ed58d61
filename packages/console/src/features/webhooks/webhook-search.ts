/** The page's state in its URL. */
export interface WebhookSearch {
  /** The shown deliveries. All by default. */
  show?: 'failed' | 'others'
  /** The cursor of the page. */
  after?: string
  /** The ID of the expanded delivery. */
  delivery?: string
}

/** Parses search parameters. Invalid values are ignored. */
export function webhookSearch({ show, after, delivery }: Record<string, unknown>): WebhookSearch {
  return {
    ...(show === 'failed' || show === 'others' ? { show } : {}),
    ...(typeof after === 'string' && after !== '' ? { after } : {}),
    ...(typeof delivery === 'string' && delivery !== '' ? { delivery } : {}),
  }
}
