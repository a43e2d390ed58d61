import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { forEachConcurrently, type Muster } from '@muster/client'
import { CliError } from '../errors/cli-error.ts'
import { counted } from '../output/counted.ts'
import type { Credentials } from './device.ts'

/** The platform that marks simulated devices, so that later simulations can find them. */
const PLATFORM = 'muster-simulator'
/**
 * Maximum number of requests in flight. It stays below 10, the default limit on the statements that a server process
 * runs at a time for one account (MUSTER_USER_STATEMENTS).
 */
const CONCURRENCY = 8
/** Number of secrets that a request rotates. The API allows at most this many aliases of one field in a selection. */
const ROTATIONS = 15
const REMOVALS = 500

export interface Preparation {
  muster: Muster
  url: string
  count: number
  onProgress: (ready: number) => void
  /** After this signal aborts, no further registration or secret rotation starts. */
  signal: AbortSignal
}

export async function registerDevices(preparation: Preparation, ready: Credentials[]): Promise<void> {
  const { muster, url, count, onProgress, signal } = preparation
  const { code, id } = await createCode(muster, count)
  const run = randomUUID().slice(0, 8)
  try {
    const add = async (index: number): Promise<void> => {
      if (signal.aborted) return
      const name = `simulated ${run} ${index + 1}`
      const device = await register(url, { code, name, hardwareId: name.replaceAll(' ', '-') }, signal)
      if (device === undefined) return
      ready.push(device)
      onProgress(ready.length)
    }
    await forEachConcurrently(Array.from({ length: count }).keys(), add, { concurrency: CONCURRENCY })
  } finally {
    await muster.mutations.deleteRegistrationCode({ id })
  }
}

async function createCode(muster: Muster, uses: number): Promise<{ code: string; id: string }> {
  const { code, registrationCode } = await muster.mutations.createRegistrationCode({
    name: 'muster simulate',
    platform: PLATFORM,
    uses,
    expires: new Date(Date.now() + 3_600_000),
    services: [{ name: 'ssh', port: 22 }],
  })
  return { code, id: registrationCode.id }
}

interface RegisterResponse {
  deviceId?: string
  secret?: string
  errors?: { message: string }[]
}

/**
 * Registers one device. If the server responds with status 429, waits and tries again. Returns undefined if the signal
 * aborts before an attempt. Throws if the server rejects the registration for another reason.
 */
async function register(
  url: string,
  body: Record<string, string>,
  signal: AbortSignal,
): Promise<Credentials | undefined> {
  while (!signal.aborted) {
    const response = await fetch(`${url.replace(/\/+$/, '')}/devices/v1/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    const { deviceId, secret, errors } = (await response.json().catch(() => ({}))) as RegisterResponse
    if (response.ok && deviceId !== undefined && secret !== undefined) return { id: deviceId, secret }
    if (response.status !== 429) {
      throw new CliError(`a device could not register: ${errors?.[0]?.message ?? `HTTP ${response.status}`}`)
    }
    const seconds = Number(response.headers.get('retry-after')) || 1
    await sleep(seconds * 1_000, undefined, { signal }).catch(() => {})
  }
  return undefined
}

/**
 * Finds devices of earlier simulations, and rotates their secrets, because simulations do not store secrets. Throws if
 * there are fewer than `count` devices.
 */
export async function useExistingDevices(preparation: Preparation, ready: Credentials[]): Promise<void> {
  const { muster, count, onProgress, signal } = preparation
  const ids = await findSimulated(muster, count)
  const take = async (chunk: string[]): Promise<void> => {
    if (signal.aborted) return
    ready.push(...(await rotateSecrets(muster, chunk)))
    onProgress(ready.length)
  }
  await forEachConcurrently(chunks(ids, ROTATIONS), take, { concurrency: CONCURRENCY })
}

async function findSimulated(muster: Muster, count: number): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of muster.devices({ platform: [PLATFORM], select: { id: true } })) {
    ids.push(id)
    if (ids.length === count) return ids
  }
  throw new CliError(`found only ${counted(ids.length, 'device')} of earlier simulations, but --devices is ${count}`, {
    hint: 'Reduce --devices, or omit --existing to register new devices.',
  })
}

async function rotateSecrets(muster: Muster, ids: readonly string[]): Promise<Credentials[]> {
  const fields = ids.map((_, index) => `d${index}: rotateDeviceSecret(deviceId: $d${index}) { secret }`)
  const variables = ids.map((_, index) => `$d${index}: String!`)
  const response = await muster.query<Record<string, { secret: string }>>(
    `mutation (${variables.join(', ')}) { ${fields.join(' ')} }`,
    Object.fromEntries(ids.map((id, index) => [`d${index}`, id])),
  )
  return ids.map((id, index) => ({ id, secret: response[`d${index}`]!.secret }))
}

export async function removeDevices(muster: Muster, devices: readonly Credentials[]): Promise<void> {
  const ids = devices.map(({ id }) => id)
  for (const chunk of chunks(ids, REMOVALS)) {
    await muster.mutations.deleteDevices({ deviceId: chunk, force: true })
  }
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
