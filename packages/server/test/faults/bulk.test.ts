import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { checkJob, checkUndo, checkValues, type JobFigures } from './bulk-checker.ts'
import { createJob, importRows, type Job, startJob, waitForEnd } from './bulk-jobs.ts'
import { figures } from './figures.ts'
import { openRig, type Rig } from './rig.ts'
import { startSiteWriters } from './site-writers.ts'

const isFullRun = process.env.FAULTS_KILLS !== undefined
const kills = Number(process.env.FAULTS_KILLS ?? 2)
const DEVICES = isFullRun ? 20_000 : 80
/** The rate of the jobs, in devices per second. A small fleet needs a low rate, or its job would end before a kill. */
const RATE = isFullRun ? 10_000 : 40
/** The pause before each kill is 0.25 to 1.25 times this duration. A server must have time to start. */
const PAUSE_MS = isFullRun ? 2_500 : 2_000

const longTimeout = { timeout: isFullRun ? 0 : 600_000 }

it(
  'changes no device twice, and reverts only unchanged values, when servers and PostgreSQL are killed',
  longTimeout,
  async () => {
    const rig = await openRig({ servers: isFullRun ? 2 : 1 })
    const killer = startKiller(rig)
    const found: JobFigures[] = []
    const imported = await importRows(rig, { name: 'import', count: DEVICES, rate: RATE })
    await run(rig, imported)
    found.push(await checkJob(rig, imported, { type: 'DEVICE_REGISTER', devices: DEVICES }))
    for (let round = 1; round === 1 || killer.killed() < kills; round++) {
      const change = await createJob(
        rig,
        `change ${round}`,
        `createBulk(target: { where: "id:*" }, rate: ${RATE}, name: "change ${round}",
          operations: [{ setAttributes: { attributes: { site: "job ${round}" } } }]) { id }`,
      )
      const writers = startSiteWriters(rig, { round, mayDelete: round === 1 })
      await run(rig, change)
      found.push(await checkJob(rig, change, { type: 'ATTRIBUTE_CHANGE', devices: undefined }))
      const undo = await createJob(rig, `Undo of change ${round}`, `undoBulk(id: "${change.id}", rate: ${RATE}) { id }`)
      await run(rig, undo)
      await writers.stop()
      found.push(await checkJob(rig, undo, { type: 'ATTRIBUTE_CHANGE', devices: undefined }))
      await checkUndo(rig, { change, undo })
    }
    await killer.stop()
    const { changes, written } = await checkValues(rig)
    const sum = (name: 'done' | 'skipped'): number => found.reduce((total, each) => total + each[name], 0)
    figures('bulk jobs', {
      kills: killer.killed(),
      jobs: found.length,
      'devices changed or registered': sum('done'),
      'devices skipped with a reason': sum('skipped'),
      'changes by other writers': written,
      'changes of values in the log, each from the value before': changes,
      'changed twice, lost, or with a wrong status': 0,
    })
    expect(killer.killed()).toBeGreaterThanOrEqual(kills)
    expect(sum('done')).toBeGreaterThan(DEVICES)
  },
)

async function run(rig: Rig, job: Job): Promise<void> {
  await startJob(rig, job)
  await waitForEnd(rig, job)
}

/** Kills PostgreSQL and servers in turn, up to `kills` times in total. `stop` ends the kills earlier. */
function startKiller(rig: Rig): { killed(): number; stop(): Promise<void> } {
  let killed = 0
  let isStopping = false
  const kill = async (): Promise<void> => {
    while (!isStopping && killed < kills) {
      await sleep(PAUSE_MS / 4 + randomInt(PAUSE_MS))
      if (killed % 2 === 0) await rig.database.kill()
      else await rig.killServer()
      killed++
      if (isFullRun && killed % 10 === 0) console.log(`${killed} kills`)
    }
  }
  const ended = kill()
  return {
    killed: () => killed,
    async stop() {
      isStopping = true
      await ended
    },
  }
}
