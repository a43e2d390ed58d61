/** What the page keeps in its address. */
export interface WebhookSearch {
  /** Which deliveries are shown; all where left away. */
  show?: 'failed' | 'others'
  /** Deliveries older than this place. */
  after?: string
  /** The delivery that is open. */
  delivery?: string
}

/** Reads it; what is wrong in an address is left out, never an error. */
export function webhookSearch({ show, after, delivery }: Record<string, unknown>): WebhookSearch {
  return {
    ...(show === 'failed' || show === 'others' ? { show } : {}),
    ...(typeof after === 'string' && after !== '' ? { after } : {}),
    ...(typeof delivery === 'string' && delivery !== '' ? { delivery } : {}),
  }
}
