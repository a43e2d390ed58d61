import { type Api, codeOf } from '../api.ts'
import type { JobRows } from './job-rows.ts'
import type { Outcome } from './outcome.ts'
import { rejectionReason } from './rejection-reason.ts'

export interface JobContext {
  api: Api
  outcome: Outcome
  progress: () => void
  /** Aborting this signal cancels the job. Rows that are already written remain written. */
  signal: AbortSignal
  /** The job's name. The next import of the same file finds the job by this name. */
  jobName: string
  strict: boolean
}

interface Job {
  id: string
  state: string
  stateReason: string | null
  token: string | null
  counts: { change: number; register: number; rejected: number; done: number; failed: number; skipped: number }
}

/** The shortest and the longest time between two polls of a job, in milliseconds. */
const POLL_MS = { min: 100, max: 1_000 }
/** The rate of the job, in devices per second: the maximum that the API accepts. */
const RATE = 10_000
/** The highest `maxFailures` that the API accepts. With this limit, failed rows do not pause the job. */
const MAX_FAILURES = 2_147_483_647

/** The job did not run to its end. The message is for the user. */
export class JobError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JobError'
  }
}

const fields = 'id state stateReason token counts { change register rejected done failed skipped }'

/**
 * Runs the import as a bulk job. Returns `forbidden` and writes nothing if the caller lacks a permission that one of
 * the changes needs, or cannot set one of the attributes. Returns `rejected` and writes nothing if the preview rejects
 * a row and `strict` is set. Otherwise, returns `written`, even if the signal canceled the job. Throws if the job
 * fails, pauses, or expires, or if another client cancels it.
 */
export async function writeInJob(context: JobContext, rows: JobRows): Promise<'written' | 'rejected' | 'forbidden'> {
  const id = await createJob(context, rows)
  return id === undefined ? 'forbidden' : runJob(context, id, rows)
}

async function createJob(
  { api, outcome, progress, jobName, signal }: JobContext,
  { parts, register }: JobRows,
): Promise<string | undefined> {
  const document = `mutation Import($csv: String!, $register: Boolean!, $name: String!, $open: Boolean!) {
    createBulk(target: { csv: $csv, register: $register }, operations: [], name: $name, rate: ${RATE},
      maxFailures: ${MAX_FAILURES}, open: $open) { id } }`
  const [csv, ...others] = parts
  const variables = { csv, register, name: jobName, open: others.length > 0 }
  const created = await api.query<{ createBulk: { id: string } }>(document, variables).catch((error: unknown) => {
    if (codeOf(error) === 'FORBIDDEN') return undefined
    throw error
  })
  if (created === undefined) return undefined
  const { id } = created.createBulk
  outcome.job = id
  progress()
  for (const part of others) {
    if (signal.aborted) break
    await api.query('mutation Append($id: ID!, $csv: String!) { appendBulk(id: $id, csv: $csv) { id } }', {
      id,
      csv: part,
    })
  }
  if (others.length > 0 && !signal.aborted)
    await api.query('mutation Preview($id: ID!) { previewBulk(id: $id) { id } }', { id })
  return id
}

async function runJob(context: JobContext, id: string, rows: JobRows): Promise<'written' | 'rejected'> {
  const { api, outcome, strict, signal } = context
  const ready = await waitForJob(context, id, ['READY'])
  const isRejected = ready.state === 'READY' && strict && ready.counts.rejected > 0
  if (isRejected) await cancelJob(api, id)
  else if (ready.state === 'READY' && !signal.aborted)
    await api.query('mutation Start($id: ID!, $token: String!) { startBulk(id: $id, token: $token) { id } }', {
      id,
      token: ready.token,
    })
  const last = await waitForJob(context, id, [])
  delete outcome.finished
  await addResults(context, id, rows)
  const isCanceledHere = last.state === 'CANCELED' && (isRejected || signal.aborted)
  if (!isCanceledHere) assertDone(last)
  return isRejected ? 'rejected' : 'written'
}

function assertDone({ id, state, stateReason }: Job): void {
  if (state === 'CANCELED')
    throw new JobError(`another client canceled the job ${id}; import the file again to continue`)
  if (state === 'EXPIRED') throw new JobError(`the job ${id} expired before it started; import the file again`)
  if (state === 'FAILED')
    throw new JobError(`the job ${id} failed before it started: ${stateReason}; import the file again`)
  if (state === 'PAUSED')
    throw new JobError(`the job ${id} is paused: ${stateReason}; resume the job, or import the file again`)
}

const ended = ['DONE', 'CANCELED', 'FAILED', 'EXPIRED', 'PAUSED']

/**
 * Waits until the job has ended or paused, or is in one of the given states. If the signal aborts, cancels the job and
 * ignores the given states.
 */
async function waitForJob({ api, outcome, progress, signal }: JobContext, id: string, states: string[]): Promise<Job> {
  let isCanceled = false
  const pollPause = pauses()
  for (;;) {
    if (signal.aborted && !isCanceled) {
      await cancelJob(api, id)
      isCanceled = true
    }
    const job = await readJob(api, id)
    const { done, failed, skipped } = job.counts
    outcome.finished = done + failed + skipped
    progress()
    if (ended.includes(job.state) || (states.includes(job.state) && !signal.aborted)) return job
    await pollPause(isCanceled ? undefined : signal)
  }
}

/**
 * Returns a function that waits for a twentieth of the time since `pauses` was called, within the limits of `POLL_MS`.
 * The wait ends early if the signal aborts.
 */
function pauses(): (signal: AbortSignal | undefined) => Promise<void> {
  const began = performance.now()
  return (signal) => {
    const ms = Math.min(POLL_MS.max, Math.max(POLL_MS.min, (performance.now() - began) / 20))
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal?.addEventListener('abort', end)
    })
  }
}

async function cancelJob(api: Api, id: string): Promise<void> {
  await api.query('mutation Cancel($id: ID!) { cancelBulk(id: $id) { id } }', { id }).catch((error: unknown) => {
    if (codeOf(error) !== 'CONFLICT') throw error
  })
}

async function readJob(api: Api, id: string): Promise<Job> {
  const { login } = await api.query<{ login: { bulkJob: Job[] } }>(
    `query ReadJob($id: ID!) { login { bulkJob(id: [$id]) { ${fields} } } }`,
    { id },
  )
  const [job] = login.bulkJob
  if (job === undefined) throw new JobError(`the job ${id} no longer exists; import the file again`)
  return job
}

interface Results {
  login: { bulkJob: Record<'created' | 'updated' | 'unchanged', { total: number }>[] }
}

async function addResults({ api, outcome }: JobContext, id: string, rows: JobRows): Promise<void> {
  const { login } = await api.query<Results>(
    `query Results($id: ID!) { login { bulkJob(id: [$id]) {
      created: items(outcome: [REGISTER], status: [DONE], size: 1) { total }
      updated: items(outcome: [CHANGE], status: [DONE], size: 1) { total }
      unchanged: items(status: [UNCHANGED], size: 1) { total } } } }`,
    { id },
  )
  const [counts] = login.bulkJob
  outcome.created += counts!.created.total
  outcome.updated += counts!.updated.total
  outcome.unchanged += counts!.unchanged.total
  for await (const { line, message, code, reason } of failedItems(api, id)) {
    const text = message === null && reason !== null ? reasons[reason] : rejectionReason(message ?? code ?? '')
    outcome.problems.push({ line: rows.fileLines.get(line) ?? line, reason: text ?? String(reason) })
  }
}

const reasons: Readonly<Record<string, string>> = {
  CHANGED_SINCE: 'the device changed during the import; import the file again',
  GONE: 'the device was deleted during the import; import the file again',
}

interface FailedItem {
  line: number
  message: string | null
  code: string | null
  reason: string | null
}

interface FailedPage {
  items: FailedItem[]
  hasMore: boolean
  cursor: string | null
}

interface FailedItems {
  login: { bulkJob: { items: FailedPage }[] }
}

async function* failedItems(api: Api, id: string): AsyncGenerator<FailedItem> {
  let after: string | null = null
  for (;;) {
    const { login }: FailedItems = await api.query<FailedItems>(
      `query Failed($id: ID!, $after: ID) { login { bulkJob(id: [$id]) {
        items(status: [FAILED, SKIPPED], size: 1000, after: $after) {
          items { line message code reason } hasMore cursor } } } }`,
      { id, after },
    )
    const { items, hasMore, cursor }: FailedPage = login.bulkJob[0]!.items
    yield* items
    if (!hasMore || cursor === null) return
    after = cursor
  }
}

interface OpenJobs {
  login: { bulkJobs: { items: { id: string; name: string; state: string }[] } }
}

/**
 * Finds the jobs of earlier imports of the same file that are running or have not started. Cancels each job that has
 * not started. Waits for each running job, because the server continues a job after the client stops. Calls `onWait`
 * before each wait. Stops waiting if the signal aborts. Returns whether it found jobs.
 */
export async function finishEarlierJob(
  api: Api,
  jobName: string,
  { signal, onWait = () => {} }: { signal?: AbortSignal | undefined; onWait?: (() => void) | undefined },
): Promise<boolean> {
  const { login } = await api
    .query<OpenJobs>(
      `query FindImports { login { bulkJobs(state: [DRAFT, PREVIEWING, READY, RUNNING], size: 1000) { items { id name state } } } }`,
      {},
    )
    .catch((error: unknown): OpenJobs => {
      if (codeOf(error) === 'FORBIDDEN') return { login: { bulkJobs: { items: [] } } }
      throw error
    })
  const jobs = login.bulkJobs.items.filter(({ name }) => name === jobName)
  for (const { id, state } of jobs) {
    if (state !== 'RUNNING') {
      await cancelJob(api, id)
      continue
    }
    onWait()
    const pollPause = pauses()
    while (signal?.aborted !== true && (await readJob(api, id)).state === 'RUNNING') await pollPause(signal)
  }
  return jobs.length > 0
}

/** Returns the name of the job that imports a file: the end of the file's name, and a hash of the content. */
export function jobNameOf(fileName: string, bytes: Uint8Array): string {
  // Use FNV-1a, because browsers support SHA-256 only in secure contexts.
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return `Import of ${[...fileName].slice(-70).join('')} (${hash.toString(16).padStart(8, '0')})`
}
