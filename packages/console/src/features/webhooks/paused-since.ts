import type { WebhooksQuery } from './webhooks.generated.ts'

type Pauses = NonNullable<WebhooksQuery['login']>['pauses']

/**
 * Since when deliveries have been held back, as the newest event of the pause tells. A receiver that is only being
 * probed has no such event; its reason differs from that of an earlier pause.
 */
export function pausedSince({ id, paused }: { id: string; paused: string | null }, pauses: Pauses): string | undefined {
  if (paused === null) return undefined
  const event = pauses.items.find(({ target, data }) => data.paused === paused && target.some((each) => each.id === id))
  return event?.timestamp
}
