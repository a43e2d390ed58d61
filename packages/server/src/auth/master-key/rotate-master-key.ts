import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { createPrivateFile, replacePrivateFile, syncFolder } from '../../lib/private-file.ts'
import { StartError } from '../../start-error.ts'
import { createKeyring, createSecrets, type Secrets } from '../secrets.ts'
import { reencryptTotp } from '../sessions/reencrypt-totp.ts'
import { deleteFormerCheck, type KeyChecks, replaceCheck, selectChecks } from './master-key.queries.ts'
import { availableKeys, type MasterKeySettings, newMasterKey } from './master-key.ts'
import { formatMasterKey, masterKeyFiles, readMasterKey } from './master-key-files.ts'
import { type Reencryption, reencryptAll } from './reencrypt.ts'

export interface Rotation extends Reencryption {
  /** The location of the new key: a file path, or a setting's name. */
  key: string
  /** The location of the previous key, which is required to restore backups from before the rotation. */
  former: string
}

/**
 * Re-encrypts all of this installation's secrets with another master key while servers run. A rotation can be
 * interrupted at any point and continues when it runs again. The available keys can always decrypt every secret. First,
 * the rotation writes the new key to disk, unless the operator has set it on every server. It then names the new key in
 * the database. This step waits for transactions that are encrypting, so that afterward no new secret is encrypted
 * under the previous key. The rotation then re-encrypts existing secrets in batches. Last, if the keys are in files, it
 * swaps the files.
 */
export async function rotateMasterKey({ db, config }: { db: Database; config: MasterKeySettings }): Promise<Rotation> {
  return withRotationLock(db, async () => {
    const before = await selectChecks(db)
    if (before.current === undefined)
      throw new StartError('This database has no master key yet: start the server first.')
    const isResumed = before.former !== undefined
    const next = isResumed ? [] : [await nextKey(config, before.current)]
    const secrets = createKeyring(() => [...next, ...availableKeys(config)])
    assertAvailable(secrets, before)
    if (isResumed) secrets.switchTo(before.current)
    const totp = secrets.checkValue === before.current ? 0 : await beginRotation(db, secrets)
    const { count, damaged } = await reencryptAll(db, secrets)
    await deleteFormerCheck(db)
    const locations = config.masterKey === undefined ? await swapFiles(config.dataFolder) : settingNames
    return { count: totp + count, damaged, ...locations }
  })
}

const settingNames = { key: 'MUSTER_MASTER_KEY', former: 'MUSTER_MASTER_KEY_PREVIOUS' }

/** Uses a session lock, because PostgreSQL releases it when the connection ends, even if this process is killed. */
function withRotationLock<Result>(db: Database, work: () => Promise<Result>): Promise<Result> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(hashtext('muster master key rotation')) as locked`.execute(connection)
    if (rows[0]?.locked !== true)
      throw new StartError('The master key is being rotated by another process: wait until that process finishes.')
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(hashtext('muster master key rotation'))`.execute(connection)
    }
  })
}

/** Returns the new key from the settings or from an interrupted rotation. If there is none, creates one in a file. */
async function nextKey(
  { masterKey, previousMasterKey, dataFolder }: MasterKeySettings,
  current: string,
): Promise<Buffer> {
  if (masterKey !== undefined) {
    if (previousMasterKey === undefined && createSecrets(masterKey).checkValue === current)
      throw new StartError(twoStepsHint)
    return masterKey
  }
  const { next: file } = masterKeyFiles(dataFolder)
  const existing = readMasterKey(file)
  if (existing !== undefined) return existing
  const key = newMasterKey()
  await createPrivateFile(file, formatMasterKey(key))
  return key
}

const twoStepsHint =
  "MUSTER_MASTER_KEY is the database's current key: start every server with a new key in MUSTER_MASTER_KEY and the " +
  'current key in MUSTER_MASTER_KEY_PREVIOUS, then run this command again with the same settings.'

function assertAvailable(secrets: Secrets, { current, former }: KeyChecks): void {
  const available = new Set(secrets.all.map(({ checkValue }) => checkValue))
  if ([current, former].every((each) => each === undefined || available.has(each))) return
  throw new StartError(
    "A master key that encrypts some of this database's secrets is not available: set MUSTER_MASTER_KEY_PREVIOUS to that key. If two keys are missing, also set MUSTER_MASTER_KEY to the newer one.",
  )
}

/**
 * Changes the current key and re-encrypts the secrets of authenticator apps in one transaction, because better-auth
 * decrypts only with the current key.
 */
function beginRotation(db: Database, secrets: Secrets): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await replaceCheck(transaction, secrets.checkValue)
    return reencryptTotp(transaction, secrets)
  })
}

/** Makes the new key the current key. At every moment, one of the files contains the new key. */
async function swapFiles(dataFolder: string): Promise<Pick<Rotation, 'key' | 'former'>> {
  const { current, next, previous } = masterKeyFiles(dataFolder)
  const [oldKey, newKey] = [readMasterKey(current), readMasterKey(next)]
  if (newKey !== undefined) {
    if (oldKey !== undefined && !oldKey.equals(newKey)) await replacePrivateFile(previous, formatMasterKey(oldKey))
    await replacePrivateFile(current, formatMasterKey(newKey))
    await rm(next)
    await syncFolder(dirname(next))
  }
  return { key: current, former: previous }
}
