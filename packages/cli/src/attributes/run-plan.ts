import { errorOf, type Muster } from '@muster/client'
import { exitCodes } from '../errors/exit-codes.ts'
import { printJson, say } from '../output/print-result.ts'
import { onInterrupt } from '../terminal/interrupt.ts'
import { type Progress, showProgress } from '../terminal/progress.ts'
import { type Plan, targetPages } from './plan.ts'
import { newStateFile, removeState, writeState } from './state-file.ts'

interface Options {
  json?: boolean
  state?: string
}

/** Errors with these codes usually affect every target, because a name or value in the change is invalid. */
const errorsOfEveryTarget: ReadonlySet<string> = new Set(['BAD_USER_INPUT', 'RESERVED_ATTRIBUTE'])

export async function runPlan(muster: Muster, plan: Plan, { json = false, state }: Options): Promise<void> {
  const file = newStateFile(state)
  await writeState(file, plan)
  const progress = showProgress(plan.total, { quiet: json })
  progress.update(plan.done + plan.refused)
  const interruption = onInterrupt(() =>
    progress.note('Stopping after the requests in flight. Press Ctrl-C again to stop immediately.'),
  )
  const run: Run = { muster, plan, file, progress, signal: interruption.signal, now: { done: plan.done, refused: [] } }
  try {
    await change(run)
  } catch (error) {
    progress.stop()
    // Remove the state file if no target has changed, because there is no progress to resume.
    if (run.now.done === 0) await removeState(file)
    else printHowToResume(run)
    throw error
  } finally {
    interruption.release()
  }
  progress.stop()
  await report(run, json)
}

interface Run {
  muster: Muster
  plan: Plan
  file: string
  progress: Progress
  signal: AbortSignal
  /**
   * The current progress, which is up to one page ahead of the state file. `done` also counts earlier runs of the plan,
   * but `refused` contains only targets of this run.
   */
  now: { done: number; refused: { id: string; code: string; message: string }[] }
}

async function change(run: Run): Promise<void> {
  const { muster, plan, file, signal, now } = run
  for await (const { ids, cursor } of targetPages(muster, plan)) {
    await changePage(run, ids)
    if (signal.aborted) return
    plan.cursor = cursor
    plan.done = now.done
    await writeState(file, { ...plan, refused: plan.refused + now.refused.length })
  }
  await removeState(file)
}

async function changePage({ muster, plan, progress, signal, now }: Run, ids: readonly string[]): Promise<void> {
  const before = { done: now.done, refused: now.refused.length }
  const { changes, context } = plan
  function* items() {
    for (const target of ids) {
      if (signal.aborted) return
      yield { target, attributes: changes }
    }
  }
  const { failed } = await muster.attributes.setMany(items(), {
    context,
    onProgress({ succeeded, failed }) {
      now.done = before.done + succeeded
      progress.update(now.done + plan.refused + before.refused + failed)
    },
  })
  for (const { target, code, message } of failed) now.refused.push({ id: target, code, message })
  const first = failed[0]
  if (now.done === 0 && first !== undefined && failed.every(({ code }) => errorsOfEveryTarget.has(code))) {
    throw errorOf([{ message: first.message, extensions: { code: first.code } }])
  }
}

async function report(run: Run, json: boolean): Promise<void> {
  const { plan, signal, now, file } = run
  const refused = plan.refused + now.refused.length
  if (!json) for (const { id, code, message } of now.refused) console.error(`${id}: ${code}: ${message}`)
  if (signal.aborted) {
    printHowToResume(run)
    process.exitCode = exitCodes.interrupted
  } else if (refused > 0) {
    process.exitCode = exitCodes.partly
  }
  if (json) {
    const state = signal.aborted ? { state: file } : {}
    await printJson({ done: now.done, refused: now.refused, interrupted: signal.aborted, ...state })
  } else if (!signal.aborted) {
    await say(`${now.done} done${refused === 0 ? '' : `, ${refused} rejected`}`)
  }
}

function printHowToResume({ plan, now, file }: Run): void {
  console.error(`${now.done} of ${plan.total} done. To resume, run: muster attributes resume ${file}`)
}
