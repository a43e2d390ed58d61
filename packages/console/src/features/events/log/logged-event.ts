import type { EventPageQuery } from '../events.generated.ts'

/** An event as the log shows it. */
export type LoggedEvent = NonNullable<EventPageQuery['login']>['events']['items'][number]
