import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { ask, check } from './checker.ts'
import { figures } from './figures.ts'
import { fillDisk } from './full-disk.ts'
import { openLedger } from './ledger.ts'
import { openRig, type Rig } from './rig.ts'
import { type Installation, type Told, ways } from './ways.ts'
import { startWriters } from './writers.ts'

/** By hand for a minute; in the tests of every day until every way in has said what it is to say. */
const seconds = Number(process.env.FAULTS_OUTAGE ?? 0)
const isByHand = process.env.FAULTS_OUTAGE !== undefined
const patience = { timeout: isByHand ? 0 : 600_000 }

const outages: Record<string, { begin(rig: Rig): Promise<void>; end(rig: Rig): Promise<void> }> = {
  frozen: { begin: ({ database }) => database.freeze(), end: async ({ database }) => database.thaw() },
  'shut down': { begin: ({ database }) => database.shutDown(), end: ({ database }) => database.start() },
}

it.each(isByHand ? Object.keys(outages) : ['frozen'])(
  'while PostgreSQL is %s, all are told so; afterwards all goes on, and nothing is lost',
  patience,
  async (kind) => {
    // Not as patient as the servers of other tests, which a busy machine must not mislead.
    const rig = await openRig({ env: { MUSTER_DATABASE_SILENCE: '500' } })
    const ledger = openLedger(join(rig.folder, 'ledger'))
    onTestFinished(() => ledger.close())
    const registered = 'mutation { registerDevice(name: "target") { device { id } secret } }'
    const { registerDevice } = await ask(rig, registered)
    const device = { id: registerDevice.device.id as string, secret: registerDevice.secret as string }
    const { url } = await rig.server()
    const installation = { url, credentials: rig.credentials, device }
    await untilAll(installation, 'served')
    const writers = await startWriters(rig, ledger, { devices: [device.id], firstNumber: 1 })
    await writers.acknowledged(20)

    await outages[kind]!.begin(rig)
    const began = performance.now()
    const answers: [way: string, ms: number, told: Told][] = []
    let wrong: string[]
    do {
      const round = await askAll(installation)
      answers.push(...round)
      wrong = round.filter(([, , told]) => told !== 'unavailable').map(([way, , told]) => `${way}: ${told}`)
      if (isByHand) expect(wrong).toEqual([])
      await sleep(isByHand ? 100 : 10)
    } while (wrong.length > 0 || performance.now() - began < seconds * 1_000)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)

    await outages[kind]!.end(rig)
    const ended = performance.now()
    await untilAll(installation, 'served')
    const backAfter = performance.now() - ended
    await writers.acknowledged(20)
    await writers.stop()
    const findings = await check(rig, await ledger.read())
    figures(`PostgreSQL ${kind} for ${seconds} s`, {
      'requests meanwhile': answers.length,
      'told after more than 1 s': answers.filter(([, ms]) => ms >= 1_000).length,
      'longest until told, ms': Math.round(Math.max(...answers.map(([, ms]) => ms))),
      'all served again after, ms': Math.round(backAfter),
      'changes acknowledged': findings.acknowledged,
      lost: findings.lost.length + findings.overwritten.length,
    })
    // What came in by all the ways is in no ledger.
    expect(findings).toMatchObject({ lost: [], doubled: [], overwritten: [] })
    if (!isByHand) return
    expect(answers.filter(([, ms]) => ms >= 1_000)).toEqual([])
    expect(backAfter).toBeLessThan(10_000)
  },
)

if (process.env.FAULTS_FULL !== undefined)
  it('while its disk is full PostgreSQL serves reads, and changes are refused whole', { timeout: 0 }, fillDisk)

const askAll = (installation: Installation): Promise<[way: string, ms: number, told: Told][]> =>
  Promise.all(
    Object.entries(ways).map(async ([way, ask]): Promise<[string, number, Told]> => {
      const began = performance.now()
      const told = await ask(installation).catch((error: unknown) => String(error))
      return [way, performance.now() - began, told]
    }),
  )

async function untilAll(installation: Installation, wanted: Told): Promise<void> {
  for (;;) {
    const answers = await askAll(installation)
    if (answers.every(([, , told]) => told === wanted)) return
    await sleep(50)
  }
}
