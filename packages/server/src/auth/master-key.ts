import { randomBytes } from 'node:crypto'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { StartError } from '../start-error.ts'
import { createPrivateFile } from './private-file.ts'
import { createSecrets, type Secrets } from './secrets.ts'

const KEY_BYTES = 32
const CHECK_NAME = 'master_key_check'

export interface MasterKeyOptions {
  dataFolder: string
  /** From the settings; then the file plays no part. */
  given: Buffer | undefined
  log: FastifyBaseLogger
}

/**
 * What this database's secrets are encrypted under. On a database that knows no master key yet, the one at hand becomes
 * its own, and a new one is made where there is none. Any other than the database's is a StartError. The caller's
 * transaction lets one server at a time in.
 */
export async function agreeOnMasterKey(transaction: Database, options: MasterKeyOptions): Promise<Secrets> {
  const file = join(options.dataFolder, 'master.key')
  const remembered = await findCheckValue(transaction)
  const key = options.given ?? (await readMasterKey(file, options.log))
  if (remembered === undefined) {
    const secrets = createSecrets(key ?? (await createMasterKey(file, options.log)))
    await insertCheckValue(transaction, secrets.checkValue)
    return secrets
  }
  if (key === undefined) {
    throw new StartError(`This database has a master key already, and ${file} is not there. ${bringTheKey}`)
  }
  const secrets = createSecrets(key)
  if (secrets.checkValue !== remembered) {
    const from = options.given === undefined ? file : 'MUSTER_MASTER_KEY'
    throw new StartError(`The master key in ${from} is not the one of this database. ${bringTheKey}`)
  }
  return secrets
}

const bringTheKey =
  'The secrets of its access keys can be read with that one only: copy master.key from the server that was started on ' +
  'this database first, or set MUSTER_MASTER_KEY to its content.'

async function readMasterKey(file: string, log: FastifyBaseLogger): Promise<Buffer | undefined> {
  const text = await readIfThere(file)
  if (text === undefined) return undefined
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw new StartError(`${file} does not hold ${KEY_BYTES} bytes in base64: bring back the file as it was.`)
  }
  const { mode } = await stat(file)
  if ((mode & 0o077) !== 0) log.warn({ file }, 'others than its owner may read the master key: chmod 600')
  return key
}

async function createMasterKey(file: string, log: FastifyBaseLogger): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES)
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await createPrivateFile(file, `${key.toString('base64')}\n`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // A server on another database was quicker in this folder; the two share the key.
    return (await readMasterKey(file, log)) ?? key
  }
  log.info({ file }, 'created the master key: keep a copy of it apart from the database')
  return key
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new StartError(`The master key cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

async function findCheckValue(db: Database): Promise<string | undefined> {
  const row = await db.selectFrom('server_setting').select('value').where('name', '=', CHECK_NAME).executeTakeFirst()
  return row?.value
}

async function insertCheckValue(db: Database, value: string): Promise<void> {
  await db.insertInto('server_setting').values({ name: CHECK_NAME, value }).execute()
}
