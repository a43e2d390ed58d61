import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Installation, withInstallation } from '../../../cli/src/installation/migrate-and-set-up.ts'
import { seedFleet, vacuumFleetTables } from '../../../cli/src/seed/seed-fleet.ts'
import type { Credentials } from '../../../cli/src/simulate/device.ts'
import { addUser } from '../../../cli/src/users/add-user.ts'
import { hashDeviceSecret, newDeviceSecret } from '../../src/features/devices/changes/device-secret.ts'
import { sendAs } from '../harness/server-process.ts'

export interface AccessKey {
  keyId: string
  /** The secret of the access key, in base64. */
  secret: string
}

export interface Population {
  attackers: { keys: AccessKey[] }[]
  /** The user whose devices stay connected. */
  connected: { key: AccessKey; devices: Credentials[] }
  other: AccessKey
}

const ATTACKERS = 4
const KEYS = 10
const CONNECTED_DEVICES = 50
/** The number of the first attacker's devices that have large attributes. A page of these devices has 30 MB. */
const HEAVY_DEVICES = 1_000
const HEAVY_VALUES = 2
const HEAVY_VALUE_BYTES = 15_000

const fileOf = (folder: string): string => join(folder, 'population.json')

export async function findPopulation(folder: string): Promise<Population | undefined> {
  try {
    return JSON.parse(await readFile(fileOf(folder), 'utf8')) as Population
  } catch {
    return undefined
  }
}

export async function createPopulation(folder: string, url: string, devices: number): Promise<Population> {
  const files = await withDataFolder(folder, () =>
    withInstallation((installation) => createUsers(installation, folder, devices)),
  )
  const [first, ...others] = await Promise.all(files.attackers.map(readKey))
  const keys = [first!, ...(await createKeys(url, first!))]
  const population = {
    attackers: [{ keys }, ...others.map((key) => ({ keys: [key] }))],
    connected: { key: await readKey(files.connected), devices: files.devices },
    other: await readKey(files.other),
  }
  await writeFile(fileOf(folder), JSON.stringify(population), { mode: 0o600 })
  return population
}

/** Sets MUSTER_DATA to the path of the folder while `work` runs. */
async function withDataFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const { MUSTER_DATA: before } = process.env
  process.env.MUSTER_DATA = folder
  try {
    return await work()
  } finally {
    if (before === undefined) delete process.env.MUSTER_DATA
    else process.env.MUSTER_DATA = before
  }
}

async function createUsers(installation: Installation, folder: string, devices: number) {
  const create = async (name: string) => {
    const file = join(folder, `credentials-${name}`)
    const { id } = await addUser(installation, { email: `${name}@example.com`, name, accessKeyName: name, file })
    return { id, file }
  }
  const { pool } = installation
  const attackers: string[] = []
  for (let number = 1; number <= ATTACKERS; number++) {
    const user = await create(`attacker-${number}`)
    await seedFleet(pool, { accountId: user.id, name: `fleet ${number}`, devices, services: 2 }, () => {})
    if (number === 1) await setLargeAttributes(installation, user.id)
    attackers.push(user.file)
  }
  const connected = await create('connected')
  const fleet = { accountId: connected.id, name: 'connected', devices: CONNECTED_DEVICES, services: 1 }
  await seedFleet(pool, fleet, () => {})
  const credentials = await createDeviceSecrets(installation, connected.id)
  await vacuumFleetTables(pool)
  const other = await create('other')
  return { attackers, connected: connected.file, devices: credentials, other: other.file }
}

/** Sets large attributes, which hardly compress, on the first HEAVY_DEVICES devices. */
async function setLargeAttributes({ pool }: Installation, accountId: string): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from device where account_id = $1 order by id limit $2',
    [accountId, HEAVY_DEVICES],
  )
  for (const { id } of rows) {
    const values = Array.from({ length: HEAVY_VALUES }, (_, index) => [
      `heavy${index}`,
      randomBytes(HEAVY_VALUE_BYTES).toString('base64').slice(0, HEAVY_VALUE_BYTES),
    ])
    await pool.query('update device set attributes = $3 where account_id = $1 and id = $2', [
      accountId,
      id,
      JSON.stringify(Object.fromEntries(values)),
    ])
  }
}

async function createDeviceSecrets({ pool }: Installation, accountId: string): Promise<Credentials[]> {
  const { rows } = await pool.query<{ id: string }>('select id from device where account_id = $1', [accountId])
  const credentials = rows.map(({ id }) => ({ id, secret: newDeviceSecret() }))
  for (const { id, secret } of credentials) {
    await pool.query('update device set secret_hash = $3 where account_id = $1 and id = $2', [
      accountId,
      id,
      hashDeviceSecret(secret),
    ])
  }
  return credentials
}

async function readKey(file: string): Promise<AccessKey> {
  const text = await readFile(file, 'utf8')
  const read = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)![1]!
  return { keyId: read('MUSTER_ACCESS_KEY_ID'), secret: read('MUSTER_SECRET_ACCESS_KEY') }
}

async function createKeys(url: string, { keyId, secret }: AccessKey): Promise<AccessKey[]> {
  const credentials = { MUSTER_ACCESS_KEY_ID: keyId, MUSTER_SECRET_ACCESS_KEY: secret }
  const keys: AccessKey[] = []
  while (keys.length < KEYS - 1) {
    const { body } = await sendAs(credentials, url, 'mutation { createAccessKey(readOnly: true) { key secret } }')
    const { key, secret } = body.data.createAccessKey
    keys.push({ keyId: key, secret })
  }
  return keys
}
