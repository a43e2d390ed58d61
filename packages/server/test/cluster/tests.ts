/** The folders whose tests run on the cluster. Add a folder once its tests pass there. */
export const included: readonly string[] = [
  'packages/server/src/auth/',
  'packages/server/src/backup/',
  'packages/server/src/db/cluster/',
  'packages/server/src/features/',
  'packages/server/src/mqtt/',
  'packages/server/test/statements/',
]

/** The test files in the included folders that do not run on the cluster, with the reasons. */
export const excludedFiles: Readonly<Record<string, string>> = {
  '*.plan.test.ts': 'checks a plan of plain PostgreSQL, and the plan of a shard is different',
  'transfer/*.test.ts': 'devices cannot move between the accounts of a cluster',
  'cluster/read-on-shard.test.ts': 'the test creates tables with the names of catalogs of Citus',
}

const ownTables = 'the test reads tables, indexes, or triggers that distribution changes'
const ownStatement = 'the test itself sends a statement that Citus rejects'
const ownPlan = 'the test reads a plan of plain PostgreSQL'

/** The reasons why some tests do not run on the cluster, keyed by a part of the test's full name. */
export const excludedTests: Readonly<Record<string, string>> = {
  'have only triggers and sequences that are known exceptions for Citus': ownTables,
  'have a unique index with the account column, and only known ones without it, if they are distributed': ownTables,
  'does nothing on a database without Citus': ownTables,
  'leaves no counts after the deletion of an account and its devices': 'only a trigger counts these devices',
  'returns the expected part of the sorted list for every position and cursor': 'only a trigger counts these devices',
  'writes to other devices without delay while one device is locked': ownStatement,
  'rejects the queued writes to a device when a write to that device times out': ownStatement,
  'applies valid writes alongside rejected writes, failed writes, and writes to unknown devices': ownStatement,
  "does not work with the encrypted secret of another user's key": ownStatement,
  'still runs after a migration adds a column to each table':
    'the test passes null as the account, which Citus rejects in an insert',
  'accepts the token again if the sessions could not be ended':
    'the test ends a connection of the coordinator, but a connection of a worker waits for the lock',
  'is returned with its ID, and the worker finishes the preview': ownStatement,
  'sends a delivery from only one server if the delivery is created while its webhook is released': ownStatement,
  'uses little memory, and loses no events, while the client is not reading':
    'inserting its events took longer than the time limit of a test',
  'records a statement of every query function':
    'servers of a cluster do not send the single statements that set an attribute',
  'loses no value when 200 writers set different names on one device':
    'the changes queue for the device, and the server rejects some of them',
  'evaluates a deleted device by the content of its event':
    'the test expects the messages of simultaneous events in order',
  'uses the current filter and the context of its view':
    'the test expects the messages of simultaneous events in order',
  'loses no value when writers of several kinds run concurrently':
    'writes are so slow that the server rejects some of the concurrent ones',
  ...Object.fromEntries(
    [
      'is limited to accounts, or is listed as an exception',
      'is limited to one account, or is listed as limited to the accounts in its input rows',
      'for clusters, or is listed as an exception',
      'is still limited to one account if a worker reads its shard',
      'the analysis of a statement',
    ].map((name) => [name, ownPlan]),
  ),
}
