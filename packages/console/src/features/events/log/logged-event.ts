import type { EventPageQuery } from '../events.generated.ts'

export type LoggedEvent = NonNullable<EventPageQuery['login']>['events']['items'][number]
