import type { Muster } from '@muster/client'
import { exitCodes } from '../errors/exit-codes.ts'
import { counted } from '../output/counted.ts'
import { printJson, printPairs } from '../output/print-result.ts'
import { openMuster } from '../server/open-muster.ts'
import { confirm } from '../terminal/confirm.ts'
import { type Changes, toInput } from './assignments.ts'
import type { ChangeOptions } from './change-options.ts'
import { flatten } from './dotted-attributes.ts'
import { findTarget, findUserId } from './find-target.ts'
import { countTargets, type Plan, planTargets } from './plan.ts'
import { runPlan } from './run-plan.ts'

interface Change {
  /** Undefined for a bulk change, which has no single target. */
  nameOrId?: string | undefined
  changes: Changes
  options: ChangeOptions
}

export async function changeAttributes({ nameOrId, changes, options }: Change): Promise<void> {
  const muster = await openMuster(options, 6)
  if (nameOrId === undefined) return changeInBulk(muster, changes, options)
  const target = await findTarget(muster, nameOrId)
  if (options.dryRun) {
    const { preview } = await import('./preview.ts')
    const change = { targets: { ids: [target] }, changes: toInput(changes), context: options.context }
    if ((await preview(muster, change, options)) > 0) process.exitCode = exitCodes.conflict
    return
  }
  const attributes = await muster.attributes.set(target, toInput(changes), { context: options.context })
  if (options.json) return printJson(attributes)
  await printPairs(flatten(attributes))
}

async function changeInBulk(muster: Muster, changes: Changes, options: ChangeOptions): Promise<void> {
  const targets = await planTargets(options)
  const change = { targets, changes: toInput(changes), context: options.context }
  if (options.dryRun) {
    const { preview } = await import('./preview.ts')
    if ((await preview(muster, change, options)) > 0) process.exitCode = exitCodes.partly
    return
  }
  const [total, userId] = await Promise.all([countTargets(muster, targets, options.context), findUserId(muster)])
  const plan: Plan = { ...change, url: muster.url, userId, total, cursor: null, done: 0, refused: 0 }
  if (total > 0 && !('ids' in targets))
    await confirm(`${describeChanges(changes)} on ${counted(total, 'device')}`, options)
  await runPlan(muster, plan, options)
}

function describeChanges(changes: Changes): string {
  const parts = [...changes].map(([name, value]) => (value === null ? `remove ${name}` : `set ${name}=${short(value)}`))
  const text = parts.join(', ')
  return `${text[0]!.toUpperCase()}${text.slice(1)}`
}

const short = (value: string): string => {
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}
