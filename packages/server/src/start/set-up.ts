import type { FastifyBaseLogger } from 'fastify'
import { agreeOnMasterKey } from '../auth/master-key.ts'
import type { Secrets } from '../auth/secrets.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { withSessionLock } from '../db/pool/session-lock.ts'
import { addAccessKey, hasAccessKey } from '../features/access-keys/access-keys.ts'
import { createUser, hasUsers } from '../features/users/users.ts'
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
  /** What clients call the server. */
  url: string
  log: FastifyBaseLogger
  /** Gives up waiting for another server that does the same. */
  signal?: AbortSignal
}

export interface SetUp {
  secrets: Secrets
  /** Whether this start found an empty database and created its owner. */
  isFirstStart: boolean
}

type Outcome = SetUp & { publish: boolean }

/**
 * Settles the master key and, on an empty database, creates the owner with an access key. Of several servers that start at once,
 * one does it.
 *
 * The credentials are on disk before their owner is committed, under another name, and get their own after: a crash in
 * between is made good by the next start, and there is never an owner whose credentials nobody has.
 */
export async function setUp(options: SetUpOptions): Promise<SetUp> {
  const { db, config, log, signal } = options
  try {
    return await oneAtATime({ db, signal }, async (connection) => {
      const { publish, ...result } = await connection.transaction().execute((trx) => decide(trx, options))
      if (publish) await publishCredentials(config.dataFolder, log)
      return result
    })
  } catch (error) {
    if (!isFileError(error)) throw error
    throw new StartError(`MUSTER_DATA must be a folder that Muster may write to: ${error.message}`, { cause: error })
  }
}

/** Of the file system, not of a connection. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall !== 'connect' && 'path' in error
}

/** Whoever holds this lock of the session, under its hash, decides what an empty database is filled with. */
export const SET_UP_LOCK = 'muster set up'

/** Holds a lock of the session, so that it covers what comes after the commit as well. */
function oneAtATime<Result>(
  { db, signal }: { db: Database; signal: AbortSignal | undefined },
  work: (connection: Database) => Promise<Result>,
): Promise<Result> {
  return db
    .connection()
    .execute((connection) => withSessionLock(connection, SET_UP_LOCK, () => work(connection), { signal }))
}

async function decide(transaction: Database, options: SetUpOptions): Promise<Outcome> {
  const { config, log } = options
  const secrets = await agreeOnMasterKey(transaction, { config, log })
  if (!(await hasUsers(transaction))) {
    await stageCredentials(config.dataFolder, await createOwner(transaction, options, secrets))
    return { secrets, isFirstStart: true, publish: true }
  }
  return { secrets, isFirstStart: false, publish: await isLeftToPublish(transaction, config.dataFolder) }
}

async function createOwner(db: Database, { config, url }: SetUpOptions, secrets: Secrets): Promise<Credentials> {
  const { id, email, password } = await createUser(db, { email: config.ownerEmail })
  const viewer = { accountId: id, email, readOnly: false }
  const context = { db, viewer, secrets, clock: () => new Date() }
  const { key, secret } = await addAccessKey(context, { name: 'first start' })
  return { url, accessKeyId: key, secretAccessKey: secret ?? '', email, password }
}

/** What an earlier start left staged: to be published when its owner was committed, to be dropped when not. */
async function isLeftToPublish(db: Database, dataFolder: string): Promise<boolean> {
  const key = await findStagedKey(dataFolder)
  if (key === undefined) return false
  if (await hasAccessKey(db, key)) return true
  await dropStagedCredentials(dataFolder)
  return false
}
