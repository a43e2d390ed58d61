import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { createPrivateFile } from '../lib/private-file.ts'
import { StartError } from '../start-error.ts'
import { holdCheck, insertCheck, selectChecks } from './master-key.queries.ts'
import { formatMasterKey, masterKeyFiles, readMasterKey } from './master-key-files.ts'
import { createKeyring, type Secrets } from './secrets.ts'

/** Where `MUSTER_MASTER_KEY` is set, files play no part. */
export type MasterKeySettings = Pick<Config, 'dataFolder' | 'masterKey' | 'previousMasterKey'>

export interface MasterKeyOptions {
  config: MasterKeySettings
  log: FastifyBaseLogger
}

/**
 * What this database's secrets are encrypted under. On a database that knows no master key yet, the one at hand becomes
 * its own, and a new one is made where there is none. Any other than the database's is a StartError. The caller's
 * transaction lets one server at a time in.
 */
export async function agreeOnMasterKey(transaction: Database, { config, log }: MasterKeyOptions): Promise<Secrets> {
  const { current, former } = await selectChecks(transaction)
  if (current === undefined) {
    const key = givenOrRead(config, log) ?? (await createMasterKey(config.dataFolder, log))
    const secrets = createKeyring(() => [key, ...keysAtHand(config)])
    await insertCheck(transaction, secrets.checkValue)
    return secrets
  }
  givenOrRead(config, log)
  const file = masterKeyFiles(config.dataFolder).current
  if (keysAtHand(config).length === 0) {
    throw new StartError(`This database has a master key already, and ${file} is not there. ${bringTheKey}`)
  }
  const secrets = createKeyring(() => keysAtHand(config))
  if (!secrets.turnTo(current)) {
    const from = config.masterKey === undefined ? file : 'MUSTER_MASTER_KEY'
    throw new StartError(`The master key in ${from} is not the one of this database. ${bringTheKey}`)
  }
  if (former !== undefined && !secrets.all.some(({ checkValue }) => checkValue === former)) {
    throw new StartError(`The master key is being rotated, and the former one is not at hand. ${bringTheFormer}`)
  }
  return secrets
}

const bringTheKey =
  'The secrets of its access keys can be read with that one only: copy master.key from the server that was started on ' +
  'this database first, or set MUSTER_MASTER_KEY to its content.'

const bringTheFormer =
  'Some secrets can be read with that one only: finish "muster keys rotate-master" where it was begun, or set ' +
  'MUSTER_MASTER_KEY_PREVIOUS to the former key.'

/** Which key secrets that are made in this transaction are encrypted under: no rotation begins before it ends. */
export async function holdMasterKey(transaction: Database, secrets: Secrets): Promise<void> {
  turn(secrets, await holdCheck(transaction))
}

/** Turns to another master key where a rotation has. */
export async function followMasterKey(db: Database, secrets: Secrets): Promise<void> {
  turn(secrets, (await selectChecks(db)).current)
}

function turn(secrets: Secrets, checkValue: string | undefined): void {
  if (checkValue !== undefined && !secrets.turnTo(checkValue)) {
    throw new Error('the master key was rotated, and this server does not have the one that the database has now')
  }
}

/** Every key that the settings or the data folder hold, the one to start with first. */
export function keysAtHand({ dataFolder, masterKey, previousMasterKey }: MasterKeySettings): Buffer[] {
  const files = masterKeyFiles(dataFolder)
  const found =
    masterKey === undefined
      ? [files.current, files.next, files.previous].map((file) => readMasterKey(file))
      : [masterKey]
  return [...found, previousMasterKey].filter((key) => key !== undefined)
}

const givenOrRead = ({ masterKey, dataFolder }: MasterKeySettings, log: FastifyBaseLogger): Buffer | undefined =>
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
    // A server on another database was quicker in this folder; the two share the key.
    return readMasterKey(file, log) ?? key
  }
  log.info({ file }, 'created the master key: keep a copy of it apart from the database')
  return key
}
