import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { check, executeOperation } from './checker.ts'
import { type Availability, entryPoints, type Installation } from './entry-points.ts'
import { figures } from './figures.ts'
import { fillDisk } from './full-disk.ts'
import { openLedger } from './ledger.ts'
import { openRig, type Rig } from './rig.ts'
import { startWriters } from './writers.ts'

/**
 * The duration of each outage in seconds, set by `run.ts`. In `npm test`, the outage lasts until every entry point
 * reports it.
 */
const seconds = Number(process.env.FAULTS_OUTAGE ?? 0)
const isFullRun = process.env.FAULTS_OUTAGE !== undefined
const longTimeout = { timeout: isFullRun ? 0 : 600_000 }

const outages: Record<string, { begin(rig: Rig): Promise<void>; end(rig: Rig): Promise<void> }> = {
  frozen: { begin: ({ database }) => database.freeze(), end: async ({ database }) => database.thaw() },
  'shut down': { begin: ({ database }) => database.shutDown(), end: ({ database }) => database.start() },
}

it.each(isFullRun ? Object.keys(outages) : ['frozen'])(
  'reports an outage at every entry point when PostgreSQL is %s, then recovers without losing changes',
  longTimeout,
  async (kind) => {
    // In other tests, MUSTER_DATABASE_SILENCE is longer, so that a slow response on a busy machine does not count as an
    // outage.
    const rig = await openRig({ env: { MUSTER_DATABASE_SILENCE: '500' } })
    const ledger = openLedger(join(rig.folder, 'ledger'))
    onTestFinished(() => ledger.close())
    const registered = 'mutation { registerDevice(name: "target") { device { id } secret } }'
    const { registerDevice } = await executeOperation(rig, registered)
    const device = { id: registerDevice.device.id as string, secret: registerDevice.secret as string }
    const { url } = await rig.server()
    const installation = { url, credentials: rig.credentials, device }
    await waitForAll(installation, 'served')
    const writers = await startWriters(rig, ledger, { devices: [device.id], firstNumber: 1 })
    await writers.acknowledged(20)

    await outages[kind]!.begin(rig)
    const started = performance.now()
    const responses: [entryPoint: string, ms: number, result: Availability][] = []
    let wrong: string[]
    do {
      const round = await requestAll(installation)
      responses.push(...round)
      wrong = round
        .filter(([, , result]) => result !== 'unavailable')
        .map(([entryPoint, , result]) => `${entryPoint}: ${result}`)
      if (isFullRun) expect(wrong).toEqual([])
      await sleep(isFullRun ? 100 : 10)
    } while (wrong.length > 0 || performance.now() - started < seconds * 1_000)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)

    await outages[kind]!.end(rig)
    const ended = performance.now()
    await waitForAll(installation, 'served')
    const recoveryMs = performance.now() - ended
    await writers.acknowledged(20)
    await writers.stop()
    const findings = await check(rig, await ledger.read())
    figures(`PostgreSQL ${kind} for ${seconds} s`, {
      'requests during the outage': responses.length,
      'errors after more than 1 s': responses.filter(([, ms]) => ms >= 1_000).length,
      'longest time to an error, ms': Math.round(Math.max(...responses.map(([, ms]) => ms))),
      'time until all requests work again, ms': Math.round(recoveryMs),
      'changes acknowledged': findings.acknowledged,
      lost: findings.lost.length + findings.overwritten.length,
    })
    // Do not check for unexpected events, because the ledger does not contain the changes that `requestAll` makes.
    expect(findings).toMatchObject({ lost: [], doubled: [], overwritten: [] })
    if (!isFullRun) return
    expect(responses.filter(([, ms]) => ms >= 1_000)).toEqual([])
    expect(recoveryMs).toBeLessThan(10_000)
  },
)

if (process.env.FAULTS_FULL !== undefined)
  it('serves reads and rejects changes while the disk of PostgreSQL is full', { timeout: 0 }, fillDisk)

const requestAll = (installation: Installation): Promise<[entryPoint: string, ms: number, result: Availability][]> =>
  Promise.all(
    Object.entries(entryPoints).map(async ([name, send]): Promise<[string, number, Availability]> => {
      const started = performance.now()
      const result = await send(installation).catch((error: unknown) => String(error))
      return [name, performance.now() - started, result]
    }),
  )

async function waitForAll(installation: Installation, expected: Availability): Promise<void> {
  for (;;) {
    const responses = await requestAll(installation)
    if (responses.every(([, , result]) => result === expected)) return
    await sleep(50)
  }
}
