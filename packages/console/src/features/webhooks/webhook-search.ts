import { stringOf, validSearch } from '../../hooks/valid-search.ts'

interface WebhookSearch {
  /** Shows only the failed deliveries, or only the others. By default, shows all deliveries. */
  show?: 'failed' | 'others'
  after?: string
  delivery?: string
}

export const webhookSearch = validSearch<WebhookSearch>(({ show, after, delivery }) => ({
  show: show === 'failed' || show === 'others' ? show : undefined,
  after: stringOf(after),
  delivery: stringOf(delivery),
}))
