import type { ClusterRule } from './cluster-rules.ts'

const presence = 'features/presence/presence.queries.ts'
const attributes = 'features/attributes/set-attribute.queries.ts'

const sweep = 'a background job that deletes expired rows of tables that are on every node'
const inOneStatement = 'writes the change and its event in one statement, which is faster on plain PostgreSQL'

/**
 * For each rule, the statements that break it, with the reasons. Do not add statements: a cluster runs such statements
 * slowly, or only for batches of one account.
 */
export const clusterExceptions: Readonly<Record<ClusterRule | 'last', Readonly<Record<string, string>>>> = {
  volatile: {},
  locks: {
    [`lockDevices of ${presence}`]: 'connections of several accounts are written together, except on a cluster',
    'deleteExpiredSignIns of auth/sessions/sign-in/sign-in.queries.ts': sweep,
  },
  events: {
    [`activate of ${presence}`]: inOneStatement,
    [`deactivateUnheld of ${presence}`]: inOneStatement,
    'endTimedServices of features/presence/service-states.queries.ts': inOneStatement,
    'saveServiceStates of features/presence/service-states.queries.ts': inOneStatement,
    'insertDevice of features/devices/changes/device-changes.queries.ts': inOneStatement,
    'recordEvents of features/events/record.ts': 'inserts several events of one account',
    [`setOnAccount of ${attributes}`]: inOneStatement,
    [`setOnDevice of ${attributes}`]: inOneStatement,
    [`setOnDevices of ${attributes}`]: inOneStatement,
    [`setOnService of ${attributes}`]: inOneStatement,
    [`setReserved of ${attributes}`]: inOneStatement,
  },
  last: {},
}
