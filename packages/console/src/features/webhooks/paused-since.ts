import type { WebhooksQuery } from './webhooks.generated.ts'

type Pauses = NonNullable<WebhooksQuery['login']>['pauses']

/**
 * Returns when deliveries began to be held back, from the newest pause event with the same reason. A receiver that is
 * only being probed has no such event.
 */
export function pausedSince({ id, paused }: { id: string; paused: string | null }, pauses: Pauses): string | undefined {
  if (paused === null) return undefined
  const event = pauses.items.find(({ target, data }) => data.paused === paused && target.some((each) => each.id === id))
  return event?.timestamp
}
