import { setTimeout as sleep } from 'node:timers/promises'
import { executeOperation } from './checker.ts'
import type { Rig } from './rig.ts'

export interface Job {
  id: string
  name: string
}

interface ImportOptions {
  name: string
  count: number
  rate: number
}

const ROWS = 2_000
const PAUSE_MS = 100

/** Creates a job that registers devices, each with a hardware ID and a value of `site`, and starts its preview. */
export async function importRows(rig: Rig, { name, count, rate }: ImportOptions): Promise<Job> {
  const rows = Array.from({ length: count }, (_, index) => `node-${index},HW-${index},start`)
  const parts = Array.from({ length: Math.ceil(count / ROWS) }, (_, index) =>
    JSON.stringify(`name,hardwareId,site\n${rows.slice(index * ROWS, (index + 1) * ROWS).join('\n')}\n`),
  )
  const target = `{ csv: ${parts[0]}, register: true }`
  const job = await createJob(
    rig,
    name,
    `createBulk(target: ${target}, operations: [], open: true, name: "${name}", rate: ${rate}) { id }`,
  )
  for (const part of parts.slice(1)) await append(rig, job, part)
  await executeOperation(rig, `mutation { previewBulk(id: "${job.id}") { id } }`)
  return job
}

/** Appends rows. Ignores the rejection of duplicate rows, because an earlier attempt's response may have been lost. */
async function append(rig: Rig, { id }: Job, csv: string): Promise<void> {
  try {
    await executeOperation(rig, `mutation { appendBulk(id: "${id}", csv: ${csv}) { id } }`)
  } catch (error) {
    if (!/identify the same device/.test((error as Error).message)) throw error
  }
}

/**
 * Creates a job and finds it by its name, because the response may be lost. Tries again until the job exists. Throws if
 * the response status is 400.
 */
export async function createJob(rig: Rig, name: string, mutation: string): Promise<Job> {
  for (;;) {
    const response = await rig.send(`mutation { ${mutation} }`).catch(() => undefined)
    if (response?.status === 400) throw new Error(JSON.stringify(response.body))
    const { login } = await executeOperation(rig, '{ login { bulkJobs(size: 1000) { items { id name } } } }')
    const found = (login.bulkJobs.items as Job[]).find((job) => job.name === name)
    if (found !== undefined) return found
    await sleep(PAUSE_MS)
  }
}

interface JobState {
  state: string
  stateReason: string | null
  token: string | null
}

async function readState(rig: Rig, { id }: Job): Promise<JobState> {
  const { login } = await executeOperation(rig, `{ login { bulkJob(id: "${id}") { state stateReason token } } }`)
  return login.bulkJob[0]
}

export async function startJob(rig: Rig, job: Job): Promise<void> {
  for (;;) {
    const { state, stateReason, token } = await readState(rig, job)
    if (state === 'RUNNING' || state === 'DONE') return
    if (state === 'READY')
      await rig.send(`mutation { startBulk(id: "${job.id}", token: "${token}") { id } }`).catch(() => {})
    else if (state !== 'PREVIEWING') throw new Error(`${job.name} is ${state}: ${stateReason}`)
    await sleep(PAUSE_MS)
  }
}

export async function waitForEnd(rig: Rig, job: Job): Promise<void> {
  for (;;) {
    const { state, stateReason } = await readState(rig, job)
    if (state === 'DONE') return
    if (state !== 'RUNNING') throw new Error(`${job.name} is ${state}: ${stateReason}`)
    await sleep(PAUSE_MS)
  }
}
