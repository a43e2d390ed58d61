import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import type { ClientOptions } from '../options/new-command.ts'
import { wholeNumber } from '../options/option-values.ts'
import { counted } from '../output/counted.ts'
import { printJson, printOne, say } from '../output/print-result.ts'
import { canceled, confirm } from '../terminal/confirm.ts'
import { onInterrupt } from '../terminal/interrupt.ts'
import { assertComplete, type JobRow, jobColumns, jobContinues, readJob, waitForJob } from './bulk-jobs.ts'
import { showPreview } from './show-preview.ts'

export interface StartOptions extends ClientOptions {
  dryRun?: boolean
  detach?: boolean
  expect?: number
  yes?: boolean
}

export const withStartOptions = (command: Command): Command =>
  command
    .option('--dry-run', 'only show the preview, and cancel the job')
    .option('--detach', 'start the job without waiting for it to end')
    .option(
      '--expect <count>',
      'start the job only if it would change, register, or delete exactly this many devices',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option('-y, --yes', 'skip the confirmation prompt')

export async function startPreviewed(muster: Muster, id: string, what: string, options: StartOptions): Promise<void> {
  const { dryRun = false, detach = false, json = false, yes = false } = options
  const cancel = (): Promise<unknown> => muster.mutations.cancelBulk({ id })
  // If the server cannot cancel the job either, the first error is the more useful one.
  const cancelAfterError = (): Promise<unknown> => cancel().catch(() => {})
  const interrupted = canceled()
  const { signal, release } = onInterrupt(() => {})
  const job = await waitForJob(muster, id, { json, interrupted }).catch(async (error: unknown) => {
    if (error === interrupted) await cancelAfterError()
    release()
    throw error
  })
  if (job.state !== 'READY') {
    release()
    return assertComplete(job)
  }
  try {
    if (dryRun) await (json ? printJson(job) : printOne(job, jobColumns))
    await checkAndShowPreview(muster, job, options)
    if (signal.aborted) throw interrupted
    release()
    if (!dryRun && writingOf(job) > 0) await confirm(questionOf(job, what), { yes })
  } catch (error) {
    await cancelAfterError()
    release()
    throw error
  }
  if (dryRun) {
    await cancel()
    return
  }
  await muster.mutations.startBulk({ id, token: job.token!, expected: writingOf(job) })
  const wait = { json, interrupted: jobContinues(id) }
  const last = detach ? await readJob(muster, id) : await waitForJob(muster, id, wait)
  if (json) await printJson(last)
  else
    await say(
      `${last.state}: ${last.counts.done} done, ${last.counts.failed} failed, ${last.counts.skipped} skipped (${id})`,
    )
  if (!detach) assertComplete(last)
}

const writingOf = ({ counts }: JobRow): number => counts.change + counts.register

async function checkAndShowPreview(
  muster: Muster,
  job: JobRow,
  { dryRun = false, json = false, yes = false, expect }: StartOptions,
): Promise<void> {
  const writing = writingOf(job)
  if (expect !== undefined && expect !== writing) {
    const found = counted(writing, 'device')
    throw new CliError(`the job would change, register, or delete ${found}, but --expect is ${expect}`, {
      hint: 'Nothing was changed. To see the devices, run the command with --dry-run and without --expect.',
      exitCode: exitCodes.conflict,
    })
  }
  // With --json, the output of a dry run already contains the preview's counts.
  if (writing > 0 && (dryRun ? !json : !yes)) await showPreview(muster, job.id)
}

function questionOf({ counts: { change, register, rejected, unchanged } }: JobRow, what: string): string {
  const changes = change > 0 || register === 0 ? [`${what} ${counted(change, 'device')}`] : []
  const parts = register > 0 ? [`Register ${counted(register, 'device')}`, ...changes] : changes
  return `${parts.join('; ')} (${unchanged} unchanged, ${rejected} rejected)`
}
