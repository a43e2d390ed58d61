import type { FastifyBaseLogger } from 'fastify'
import { agreeOnMasterKey } from '../auth/master-key/master-key.ts'
import type { Secrets } from '../auth/secrets.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { withSessionLock } from '../db/pool/session-lock.ts'
import { addAccessKey, hasAccessKey } from '../features/access-keys/access-keys.ts'
import { createUser } from '../features/users/create-user.ts'
import { hasUsers } from '../features/users/users.ts'
import { StartError } from '../start-error.ts'
import {
  type Credentials,
  dropStagedCredentials,
  findStagedKey,
  publishCredentials,
  stageCredentials,
} from './credentials-file.ts'

export interface SetUpOptions {
  db: Database
  config: Config
  url: string
  log: FastifyBaseLogger
  /** A signal that, when aborted, ends the wait for another server that is also setting up. */
  signal?: AbortSignal
}

export interface SetUp {
  secrets: Secrets
  /** Whether this start found an empty database and created its owner. */
  isFirstStart: boolean
}

type Outcome = SetUp & { publish: boolean }

/**
 * Checks the master key. For a new database, creates the key if none is available. In an empty database, also creates
 * the owner with an access key. If several servers start at the same time, only one of them sets up the database.
 *
 * The server writes the credentials to a file with a temporary name, commits the transaction that creates the owner,
 * and then renames the file. If the server crashes between the commit and the renaming, its next start renames the
 * file, so the credentials are not lost.
 */
export async function setUp(options: SetUpOptions): Promise<SetUp> {
  const { db, config, log, signal } = options
  try {
    return await withSetUpLock({ db, signal }, async (connection) => {
      const { publish, ...result } = await connection.transaction().execute((trx) => setUpInTransaction(trx, options))
      if (publish) await publishCredentials(config.dataFolder, log)
      return result
    })
  } catch (error) {
    if (!isFileError(error)) throw error
    throw new StartError(`MUSTER_DATA must be a folder that Muster can write to: ${error.message}.`, { cause: error })
  }
}

/** Does not check for `syscall` alone, because connection errors also have one. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall !== 'connect' && 'path' in error
}

/** The session-level advisory lock that a starting server and a restore hold. Its key is the hash of this name. */
export const SET_UP_LOCK = 'muster set up'

/** Runs `work` under a session-level lock, because a transaction-level lock would end when `work` commits. */
function withSetUpLock<Result>(
  { db, signal }: { db: Database; signal: AbortSignal | undefined },
  work: (connection: Database) => Promise<Result>,
): Promise<Result> {
  return db
    .connection()
    .execute((connection) => withSessionLock(connection, SET_UP_LOCK, () => work(connection), { signal }))
}

async function setUpInTransaction(transaction: Database, options: SetUpOptions): Promise<Outcome> {
  const { config, log } = options
  const secrets = await agreeOnMasterKey(transaction, { config, log })
  if (!(await hasUsers(transaction))) {
    await stageCredentials(config.dataFolder, await createOwner(transaction, options, secrets))
    return { secrets, isFirstStart: true, publish: true }
  }
  return { secrets, isFirstStart: false, publish: await shouldPublishStaged(transaction, config.dataFolder) }
}

async function createOwner(db: Database, { config, url }: SetUpOptions, secrets: Secrets): Promise<Credentials> {
  const { id, email, password } = await createUser(db, { email: config.ownerEmail })
  const viewer = { accountId: id, email, readOnly: false }
  const context = { db, viewer, secrets, clock: () => new Date() }
  const { key, secret } = await addAccessKey(context, { name: 'first start' })
  return { url, accessKeyId: key, secretAccessKey: secret ?? '', email, password }
}

/** Returns whether the database contains the access key in the staged credentials. If not, deletes the credentials. */
async function shouldPublishStaged(db: Database, dataFolder: string): Promise<boolean> {
  const key = await findStagedKey(dataFolder)
  if (key === undefined) return false
  if (await hasAccessKey(db, key)) return true
  await dropStagedCredentials(dataFolder)
  return false
}
