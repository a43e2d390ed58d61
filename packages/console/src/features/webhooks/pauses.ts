import { capitalize } from '../../components/capitalize.ts'
import type { WebhooksQuery } from './webhooks.generated.ts'

type Pauses = NonNullable<WebhooksQuery['login']>['pauses']

/**
 * Returns when the webhook was paused. Returns undefined if the webhook is disabled or not paused. Also returns
 * undefined if no pause event has the reason in `paused`, for example while the server only probes the receiver.
 */
export function pausedSince(
  { id, enabled, paused }: { id: string; enabled: boolean; paused: string | null },
  pauses: Pauses,
): string | undefined {
  if (!enabled || paused === null) return undefined
  const event = pauses.items.find(({ target, data }) => data.paused === paused && target.some((each) => each.id === id))
  return event?.timestamp
}

/** The server appends this, followed by the explanation, to the reason why a webhook's view is invalid. */
const VIEW_EXPLANATION = ': deliveries wait'

/** Returns whether deliveries wait until the webhook's view is valid again. */
export const waitsForView = (paused: string): boolean => paused.includes(VIEW_EXPLANATION)

/**
 * Formats the reason for a pause as a sentence. Removes the explanation at the end, if any, because the webhook's page
 * explains the pause in other words.
 */
export function pauseReason(paused: string): string {
  const [reason = paused] = paused.split(VIEW_EXPLANATION)
  return `${capitalize(reason)}.`
}
