const bulkJobs = 'features/bulk/bulk-jobs.queries.ts'
const presence = 'features/presence/presence.queries.ts'
const serviceStates = 'features/presence/service-states.queries.ts'
const signIn = 'auth/sessions/sign-in/sign-in.queries.ts'
const identities = 'features/users/single-sign-on/identities.queries.ts'
const deliveries = 'features/webhooks/deliveries.queries.ts'
const fanOut = 'features/webhooks/fan-out/fan-out.queries.ts'
const candidates = 'features/webhooks/candidates.queries.ts'
const sending = 'features/webhooks/sending'
const keys = 'auth/master-key/master-key.queries.ts'

/**
 * Statements that are limited to the accounts in their input rows. A cluster runs each of these statements on each
 * shard, for the rows of the shard's accounts.
 */
export const ofGivenAccounts: readonly string[] = [
  'writeLastUsed of auth/auth.queries.ts',
  'writeRestrictedLastUsed of auth/auth.queries.ts',
  `writeSecrets of ${keys}`,
  ...['lockDevices', 'findHolders', 'holdByProcess', 'releaseByProcess'].map((name) => `${name} of ${presence}`),
  ...['endTimedHolds', 'activate', 'deactivateUnheld', 'touch'].map((name) => `${name} of ${presence}`),
  `endTimedServices of ${serviceStates}`,
  `insertDeliveries of ${fanOut}`,
  `insertCandidates of ${candidates}`,
]

const byCredentials = "finds the account by the caller's credentials"
const sweep = 'a background job that finds due work in all accounts'
const once = 'a command or a server start, for the whole installation'
const ofPerson = 'finds the accounts of a person'
const byOwnId = 'the authentication library finds a passkey or a second factor by its ID'
const measure = 'a metric of the whole installation'

/**
 * The statements that are not limited to accounts, with the reasons. docs/guides/citus.md explains how a cluster runs
 * them.
 */
export const acrossAccounts: Readonly<Record<string, string>> = {
  'selectKeys of auth/auth.queries.ts': byCredentials,
  'selectSessions of auth/sessions/sessions.queries.ts': byCredentials,
  ...Object.fromEntries(
    ['selectAccountsOf', 'disableAccountsOf', 'enableAccountsOf', 'replaceWithRemovedPerson'].map((name) => [
      `${name} of features/users/people/people.queries.ts`,
      ofPerson,
    ]),
  ),
  'selectMemberships of features/users/members/memberships.queries.ts': ofPerson,
  [`writeEmail of ${identities}`]: 'email addresses are unique in the whole installation',
  [`hasRoleFor of ${identities}`]: ofPerson,
  [`selectGroupAccounts of ${identities}`]: ofPerson,
  'findByToken of features/users/invitations/invitations.queries.ts': byCredentials,
  'existsForEmail of features/users/invitations/invitations.queries.ts': ofPerson,
  'deleteInvitationsBefore of features/users/invitations/invitations.queries.ts': sweep,
  'forward of auth/sessions/forward.ts': byOwnId,
  'retryAfterRotation of auth/sessions/forward.ts': byOwnId,
  'findDeviceOwner of features/devices/changes/device-secret.queries.ts': byCredentials,
  'findCodeByHash of features/registration-codes/registration-codes.queries.ts': byCredentials,
  'findInvalidSecrets of features/devices/changes/recheck-connected-devices.queries.ts':
    'compares the secrets of connected devices by their IDs',

  'readSettled of features/events/feed/feed.queries.ts': 'the feed follows one log for all accounts',
  [`selectOwed of ${fanOut}`]: 'the feed follows one log for all accounts',
  [`readOldestAge of ${fanOut}`]: measure,
  [`countUndelivered of ${sending}/backlog.queries.ts`]: measure,
  [`readLongestDue of ${sending}/backlog.queries.ts`]: measure,

  [`deleteExpiredSignIns of ${signIn}`]: sweep,
  [`deleteDeliveriesBefore of ${deliveries}`]: sweep,
  [`deleteCandidatesBefore of ${candidates}`]: sweep,
  [`selectWaiting of ${candidates}`]: sweep,
  [`selectActiveJobs of ${bulkJobs}`]: sweep,
  [`selectExpired of ${bulkJobs}`]: sweep,
  [`findEndedJob of ${bulkJobs}`]: sweep,
  'selectOldKeys of features/bulk/bulk-secrets.queries.ts': sweep,
  [`findHeldBy of ${presence}`]: sweep,
  [`findTimedOut of ${presence}`]: sweep,
  [`findTimedOutServices of ${serviceStates}`]: sweep,
  'removeCodesExpiredBefore of features/registration-codes/registration-codes.queries.ts': sweep,
  'selectAccountsWithOldUse of auth/key-use-counter.queries.ts': sweep,
  'selectAccountsWithExpired of features/idempotency/idempotency.queries.ts': sweep,
  'selectSampledAccounts of features/availability/presence-samples.queries.ts': sweep,
  'selectAccountsToSum of features/devices/device-count.queries.ts': sweep,
  [`selectNeglected of ${sending}/sending.queries.ts`]: sweep,

  'hasAccounts of features/users/accounts.queries.ts': once,
  'findOwner of features/users/accounts.queries.ts': once,
  'selectUsers of features/users/people/people.queries.ts': once,
  'selectAccounts of features/users/accounts.queries.ts': once,
  'countOtherAccounts of features/users/accounts.queries.ts': once,
  'selectAccountsWithoutOtherOwner of features/users/user-removal.queries.ts': once,
  'hasKey of features/access-keys/access-keys.queries.ts': once,
  [`selectSecrets of ${keys}`]: once,
  'lockTotp of auth/sessions/totp.queries.ts': once,
}

/** The test sends these statements only on a cluster. */
export const onlyOnCluster: readonly string[] = [
  ...['selectShards', 'selectIdentity', 'isWorker'].map((name) => `${name} of db/cluster/account-shards.queries.ts`),
  'readNodes of features/events/feed/feed.queries.ts',
]
