const presence = 'features/presence/presence.queries.ts'
const serviceStates = 'features/presence/service-states.queries.ts'
const signIn = 'auth/sessions/sign-in.queries.ts'
const deliveries = 'features/webhooks/deliveries.queries.ts'
const making = 'features/webhooks/making/making.queries.ts'
const sending = 'features/webhooks/sending'
const keys = 'auth/master-key.queries.ts'

/**
 * Statements that serve several accounts at once, each for the rows that it is given: these name their accounts, and a cluster runs
 * such a statement on each shard for the rows of its accounts.
 */
export const ofGivenAccounts: readonly string[] = [
  'writeLastUsed of auth/auth.queries.ts',
  `writeSecrets of ${keys}`,
  ...['lockDevices', 'findHolders', 'holdByProcess', 'releaseByProcess', 'holdForTime'].map(
    (name) => `${name} of ${presence}`,
  ),
  ...['endTimedHolds', 'activate', 'deactivateUnheld', 'touch'].map((name) => `${name} of ${presence}`),
  `endTimedServices of ${serviceStates}`,
  `insertDeliveries of ${making}`,
  `writeResults of ${sending}/results.queries.ts`,
  `writeHealth of ${sending}/results.queries.ts`,
  `renewHolds of ${sending}/sending.queries.ts`,
]

/** Whoever asks shows something of its own, and whose it is is the question. */
const whose = 'finds the account by what a caller shows'
const sweep = 'background work, which finds what is due in all accounts'
const once = 'a command or a start, for the whole installation'
const byOwnId = 'the library for signing in finds a passkey or a second factor by its own id'
const measure = 'a measured value of the whole installation'

/** The few statements that are for no account, each with what lets it be so. docs/guides/scale.md says how a cluster serves them. */
export const acrossAccounts: Readonly<Record<string, string>> = {
  'selectKeys of auth/auth.queries.ts': whose,
  'selectSessions of auth/sessions/sessions.queries.ts': whose,
  [`findPassword of ${signIn}`]: whose,
  ...Object.fromEntries(
    ['findUserOfEmail', 'findUserOfPasskey'].map((name) => [
      `${name} of auth/sessions/audit/attempted-user.queries.ts`,
      whose,
    ]),
  ),
  [`lockAccount of ${signIn}`]: once,
  'forward of auth/sessions/forward.ts': byOwnId,
  'acrossRotations of auth/sessions/forward.ts': byOwnId,
  'findDeviceOwner of features/devices/device-secret.queries.ts': whose,
  'findCodeByHash of features/registration-codes/registration-codes.queries.ts': whose,
  'findOtherSecrets of features/devices/cut-off.queries.ts':
    'compares the secrets of devices that are connected, by their ids',

  'readSettled of features/events/feed/feed.queries.ts': 'the feed follows one log for all accounts',
  [`selectOwed of ${making}`]: 'the feed follows one log for all accounts',
  [`readOldestAge of ${making}`]: measure,
  [`countUndelivered of ${sending}/backlog.queries.ts`]: measure,
  [`readLongestDue of ${sending}/backlog.queries.ts`]: measure,

  [`deleteExpiredSignIns of ${signIn}`]: sweep,
  [`deleteDeliveriesBefore of ${deliveries}`]: sweep,
  [`findHeldBy of ${presence}`]: sweep,
  [`findTimedOut of ${presence}`]: sweep,
  [`findTimedOutServices of ${serviceStates}`]: sweep,
  'removeCodesExpiredBefore of features/registration-codes/registration-codes.queries.ts': sweep,
  'selectAccountsWithExpired of features/idempotency/idempotency.queries.ts': sweep,
  'selectAccountsToSum of features/devices/device-count.queries.ts': sweep,
  [`selectNeglected of ${sending}/sending.queries.ts`]: sweep,

  'hasAccounts of features/users/users.queries.ts': once,
  'findOwner of features/users/users.queries.ts': once,
  'selectUsers of features/users/users.queries.ts': once,
  'countOtherAccounts of features/users/users.queries.ts': once,
  'hasKey of features/access-keys/access-keys.queries.ts': once,
  [`selectSecrets of ${keys}`]: once,
  'lockTotp of auth/sessions/totp.queries.ts': once,
}
