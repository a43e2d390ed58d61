import type { Muster, Selected } from '@muster/client'
import { CliError, usageError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import type { Column } from '../output/column.ts'
import { onInterrupt } from '../terminal/interrupt.ts'
import { type Progress, showProgress } from '../terminal/progress.ts'

export const jobFields = {
  id: true,
  name: true,
  state: true,
  stateReason: true,
  progress: true,
  token: true,
  created: true,
  finished: true,
  counts: {
    total: true,
    change: true,
    register: true,
    unchanged: true,
    rejected: true,
    pending: true,
    done: true,
    failed: true,
    skipped: true,
  },
} as const

export type JobRow = Selected<'BulkJob', typeof jobFields>

export const jobColumns: readonly Column<JobRow>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'state', value: ({ state }) => state },
  { name: 'reason', value: ({ stateReason }) => stateReason, truncated: 'last' },
  { name: 'progress', value: ({ progress }) => `${Math.floor(progress * 100)}%` },
  { name: 'total', value: ({ counts }) => counts.total },
  { name: 'change', value: ({ counts }) => counts.change },
  { name: 'register', value: ({ counts }) => counts.register },
  { name: 'unchanged', value: ({ counts }) => counts.unchanged },
  { name: 'rejected', value: ({ counts }) => counts.rejected },
  { name: 'done', value: ({ counts }) => counts.done },
  { name: 'failed', value: ({ counts }) => counts.failed },
  { name: 'skipped', value: ({ counts }) => counts.skipped },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'finished', value: ({ finished }) => finished, time: true },
]

export async function readJob(muster: Muster, id: string): Promise<JobRow> {
  const { login } = await muster.select({ login: { bulkJob: { $: { id: [id] }, ...jobFields } } })
  const job = login?.bulkJob[0]
  if (job === undefined) {
    throw new CliError(`no bulk job has the ID ${JSON.stringify(id)}`, {
      hint: 'To list jobs, run "muster bulk list".',
      exitCode: exitCodes.notFound,
    })
  }
  return job
}

const POLL_MS = 500

/** Shows the progress of a job while it previews or runs. Then returns the job. Throws `interrupted` after Ctrl-C. */
export async function waitForJob(
  muster: Muster,
  id: string,
  { json = false, interrupted }: { json?: boolean | undefined; interrupted: CliError },
): Promise<JobRow> {
  let bar: Progress | undefined
  const { signal, release } = onInterrupt(() => {})
  try {
    for await (const { state, progress, counts } of muster.followBulkJob(id, { interval: POLL_MS, signal })) {
      const total = state === 'PREVIEWING' ? counts.total : counts.change + counts.register
      const isShown = total > 0 && (state === 'PREVIEWING' || state === 'RUNNING')
      if (isShown) bar ??= showProgress(total, { quiet: json })
      bar?.update(Math.round(progress * total), total)
    }
  } catch (error) {
    throw signal.aborted ? interrupted : error
  } finally {
    bar?.stop()
    release()
  }
  return readJob(muster, id)
}

export const jobContinues = (id: string): CliError =>
  new CliError('interrupted; the job continues on the server', {
    hint: `To follow the job, run: muster bulk watch ${id}`,
    exitCode: exitCodes.interrupted,
  })

export function assertComplete({ id, state, stateReason, counts }: JobRow): void {
  if (state !== 'DONE') {
    throw new CliError(`the job is ${state}${stateReason === null ? '' : `: ${stateReason}`}`, {
      hint:
        state === 'PAUSED'
          ? `To continue, run: muster bulk resume ${id}`
          : `To see the devices, run: muster bulk items ${id}`,
      exitCode: exitCodes.partly,
    })
  }
  if (counts.failed + counts.skipped === 0) return
  const which = `${counts.failed} failed, ${counts.skipped} skipped`
  throw new CliError(`some devices were not changed, registered, or deleted: ${which}`, {
    hint: `To list these devices, run: muster bulk items ${id} --status failed,skipped`,
    exitCode: exitCodes.partly,
  })
}

/** Converts names such as `failed` to the schema's values, such as `FAILED`. Throws a usage error for unknown names. */
export function upperNames<Name extends string>(
  given: readonly string[] | undefined,
  known: readonly Name[],
  option: string,
) {
  return given?.map((text) => {
    const name = known.find((each) => each === text.toUpperCase())
    if (name === undefined)
      throw usageError(
        `${option}: unknown value ${JSON.stringify(text)}`,
        `Known values: ${known.join(', ').toLowerCase()}.`,
      )
    return name
  })
}
