import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { createPrivateFile } from '../../lib/private-file.ts'
import { StartError } from '../../start-error.ts'
import { createKeyring, type Secrets } from '../secrets.ts'
import { insertCheck, lockCheck, selectChecks } from './master-key.queries.ts'
import { formatMasterKey, masterKeyFiles, readMasterKey } from './master-key-files.ts'

/** If `MUSTER_MASTER_KEY` is set, the server does not use the key files. */
export type MasterKeySettings = Pick<Config, 'dataFolder' | 'masterKey' | 'previousMasterKey'>

export interface MasterKeyOptions {
  config: MasterKeySettings
  log: FastifyBaseLogger
}

/**
 * Returns `Secrets` with this database's master key. A new database adopts the available key, or a newly created key
 * if none is available. Throws a StartError if the key is missing or belongs to another database, or if a rotation
 * needs a previous key that is missing. The caller's transaction must allow only one server at a time.
 */
export async function agreeOnMasterKey(transaction: Database, { config, log }: MasterKeyOptions): Promise<Secrets> {
  const { current, former } = await selectChecks(transaction)
  if (current === undefined) {
    const key = configuredOrRead(config, log) ?? (await createMasterKey(config.dataFolder, log))
    const secrets = createKeyring(() => [key, ...availableKeys(config)])
    await insertCheck(transaction, secrets.checkValue)
    return secrets
  }
  configuredOrRead(config, log)
  const found = findKeys(config)
  if (found.length === 0) {
    const file = masterKeyFiles(config.dataFolder).current
    throw new StartError(
      `This database already has a master key, but MUSTER_MASTER_KEY is not set and ${file} does not exist. ${keyHint}`,
    )
  }
  const secrets = createKeyring(() => availableKeys(config))
  if (!secrets.switchTo(current)) throw wrongKey(found)
  if (former !== undefined && !secrets.all.some(({ checkValue }) => checkValue === former)) {
    throw new StartError(`The master key is being rotated, and the previous key is not available. ${formerKeyHint}`)
  }
  return secrets
}

function wrongKey(found: readonly FoundKey[]): StartError {
  const places = new Intl.ListFormat('en').format(found.map(({ place }) => place))
  const what = found.length === 1 ? `The master key in ${places} does` : `The master keys in ${places} do`
  return new StartError(`${what} not belong to this database. ${keyHint}`)
}

const keyHint =
  'Only the master key of this database can decrypt its secrets. Find the file master.key of a server that uses this ' +
  'database. Copy it to MUSTER_DATA and leave MUSTER_MASTER_KEY unset, or set MUSTER_MASTER_KEY to the content of the ' +
  'file.'

const formerKeyHint =
  'Only that key can decrypt some of the secrets: run "muster keys rotate-master" again on the machine where you ' +
  'started it, or set MUSTER_MASTER_KEY_PREVIOUS to the previous key.'

/**
 * Switches to the master key that the database names. No rotation begins before the transaction ends, so the
 * transaction can encrypt secrets under that key. Throws an Error if this server does not have the key.
 */
export async function lockMasterKey(transaction: Database, secrets: Secrets): Promise<void> {
  switchKey(secrets, await lockCheck(transaction))
}

/** Switches to the master key that the database names. Throws an Error if this server does not have the key. */
export async function followMasterKey(db: Database, secrets: Secrets): Promise<void> {
  switchKey(secrets, (await selectChecks(db)).current)
}

function switchKey(secrets: Secrets, checkValue: string | undefined): void {
  if (checkValue !== undefined && !secrets.switchTo(checkValue)) {
    throw new Error(
      'the master key was rotated, and this server does not have the new key: copy the new key file to MUSTER_DATA, ' +
        'or set MUSTER_MASTER_KEY to the new key',
    )
  }
}

/** Returns the available keys. The first one encrypts new secrets until the database names another one. */
export const availableKeys = (settings: MasterKeySettings): Buffer[] => findKeys(settings).map(({ key }) => key)

interface FoundKey {
  /** A file path, or a setting's name. */
  place: string
  key: Buffer
}

function findKeys({ dataFolder, masterKey, previousMasterKey }: MasterKeySettings): FoundKey[] {
  const { current, next, previous } = masterKeyFiles(dataFolder)
  const places =
    masterKey === undefined
      ? [current, next, previous].map((file) => ({ place: file, key: readMasterKey(file) }))
      : [{ place: 'MUSTER_MASTER_KEY', key: masterKey }]
  return [...places, { place: 'MUSTER_MASTER_KEY_PREVIOUS', key: previousMasterKey }].flatMap(({ place, key }) =>
    key === undefined ? [] : [{ place, key }],
  )
}

const configuredOrRead = ({ masterKey, dataFolder }: MasterKeySettings, log: FastifyBaseLogger): Buffer | undefined =>
  masterKey ?? readMasterKey(masterKeyFiles(dataFolder).current, log)

export const newMasterKey = (): Buffer => randomBytes(32)

async function createMasterKey(dataFolder: string, log: FastifyBaseLogger): Promise<Buffer> {
  const file = masterKeyFiles(dataFolder).current
  const key = newMasterKey()
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await createPrivateFile(file, formatMasterKey(key))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // A server that uses another database has just created the key in this folder. Both servers use that key.
    return readMasterKey(file, log) ?? key
  }
  log.info({ file }, 'created the master key: store a copy separately, because backups do not contain the key')
  return key
}
