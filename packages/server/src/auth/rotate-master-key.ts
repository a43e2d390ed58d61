import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { createPrivateFile, replacePrivateFile, syncFolder } from '../lib/private-file.ts'
import { StartError } from '../start-error.ts'
import { deleteFormerCheck, type KeyChecks, replaceCheck, selectChecks } from './master-key.queries.ts'
import { keysAtHand, type MasterKeySettings, newMasterKey } from './master-key.ts'
import { formatMasterKey, masterKeyFiles, readMasterKey } from './master-key-files.ts'
import { type Reencryption, reencryptAll } from './reencrypt.ts'
import { createKeyring, createSecrets, type Secrets } from './secrets.ts'
import { reencryptTotp } from './sessions/reencrypt-totp.ts'

export interface RotationOptions {
  db: Database
  config: MasterKeySettings
}

export interface Rotation extends Reencryption {
  /** Where the new key is: a file, or the name of a setting. */
  key: string
  /** Where the former one is kept, for backups from before. */
  former: string
}

/**
 * Encrypts everything that is encrypted under this installation's master key under another one, while servers run. What
 * was cut short goes on where it was; at every moment the keys at hand open everything.
 *
 * The new key is on disk, or given to every server, before anything is encrypted under it. Then the database names it:
 * that waits for whoever is encrypting, so that from there on nothing new comes under the former. What is there already
 * is encrypted anew bit by bit, and last the files change places.
 */
export async function rotateMasterKey({ db, config }: RotationOptions): Promise<Rotation> {
  return oneAtATime(db, async () => {
    const before = await selectChecks(db)
    if (before.current === undefined)
      throw new StartError('This database has no master key yet: start the server first.')
    const goesOn = before.former !== undefined
    const next = goesOn ? [] : [await nextKey(config, before.current)]
    const secrets = createKeyring(() => [...next, ...keysAtHand(config)])
    assertAtHand(secrets, before)
    if (goesOn) secrets.turnTo(before.current)
    const totp = secrets.checkValue === before.current ? 0 : await beginRotation(db, secrets)
    const { count, damaged } = await reencryptAll(db, secrets)
    await deleteFormerCheck(db)
    const places = config.masterKey === undefined ? await swapFiles(config.dataFolder) : settingNames
    return { count: totp + count, damaged, ...places }
  })
}

const settingNames = { key: 'MUSTER_MASTER_KEY', former: 'MUSTER_MASTER_KEY_PREVIOUS' }

/** Lets go of the lock with its connection, whatever happens to this process. */
function oneAtATime<Result>(db: Database, work: () => Promise<Result>): Promise<Result> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(hashtext('muster master key rotation')) as locked`.execute(connection)
    if (rows[0]?.locked !== true)
      throw new StartError('The master key is being rotated by another process: let it finish.')
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(hashtext('muster master key rotation'))`.execute(connection)
    }
  })
}

/** The key to encrypt under: given, left by a rotation that was cut short, or made now. */
async function nextKey(
  { masterKey, previousMasterKey, dataFolder }: MasterKeySettings,
  current: string,
): Promise<Buffer> {
  if (masterKey !== undefined) {
    if (previousMasterKey === undefined && createSecrets(masterKey).checkValue === current)
      throw new StartError(twoSteps)
    return masterKey
  }
  const { next: file } = masterKeyFiles(dataFolder)
  const left = readMasterKey(file)
  if (left !== undefined) return left
  const key = newMasterKey()
  await createPrivateFile(file, formatMasterKey(key))
  return key
}

const twoSteps =
  'MUSTER_MASTER_KEY is the key that the database has: start every server with a new one there and this one in ' +
  'MUSTER_MASTER_KEY_PREVIOUS, then rotate with the same settings.'

function assertAtHand(secrets: Secrets, { current, former }: KeyChecks): void {
  const atHand = new Set(secrets.all.map(({ checkValue }) => checkValue))
  if ([current, former].every((each) => each === undefined || atHand.has(each))) return
  throw new StartError('A master key that secrets of this database are encrypted under is not at hand: bring it first.')
}

/** What few there is of codes is encrypted anew along with it: those who sign in with one have one try, not two. */
function beginRotation(db: Database, secrets: Secrets): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await replaceCheck(transaction, secrets.checkValue)
    return reencryptTotp(transaction, secrets)
  })
}

/** Never without a file that holds the new key. */
async function swapFiles(dataFolder: string): Promise<Pick<Rotation, 'key' | 'former'>> {
  const { current, next, previous } = masterKeyFiles(dataFolder)
  const [present, made] = [readMasterKey(current), readMasterKey(next)]
  if (made !== undefined) {
    if (present !== undefined && !present.equals(made)) await replacePrivateFile(previous, formatMasterKey(present))
    await replacePrivateFile(current, formatMasterKey(made))
    await rm(next)
    await syncFolder(dirname(next))
  }
  return { key: current, former: previous }
}
