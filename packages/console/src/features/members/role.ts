import type { MembersQuery } from './members.generated.ts'

export type Role = NonNullable<MembersQuery['login']>['roles'][number]
