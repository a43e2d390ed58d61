import { randomBytes } from 'node:crypto'
import type { Context } from '../../context.ts'
import { badInput } from '../../errors.ts'
import { assertName } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import type { MutationCreateBulkArgs } from '../../resolvers.generated.ts'
import { actorOf, sourceOf } from '../events/event-source.ts'
import { assertMayRun } from './access/job-permissions.ts'
import { type BulkJob, type CsvRow, noCounts } from './bulk-job.ts'
import { readTarget } from './bulk-target.ts'
import { readOperations } from './preview/operations.ts'
import { readServiceFilters } from './preview/service-filters.ts'

export interface NewJob {
  job: BulkJob
  ids: readonly string[] | undefined
  rows: readonly CsvRow[] | undefined
}

const DEFAULT_RATE = 200
const MAX_RATE = 10_000

/** Reads the input of a new job. Throws if the input is invalid or if the caller may not run the job. */
export async function readJob(
  context: Context,
  { target, operations, name, rate, maxFailures }: MutationCreateBulkArgs,
  { expected }: { expected: number | null },
): Promise<NewJob> {
  const { clock } = context
  const given = readOperations(operations, { isOptional: target.csv != null })
  const read = await readServiceFilters(context, given)
  const found = await readTarget(context, target)
  assertMayRun(context.viewer, { operations: read, target: found.selection.target })
  if (target.register === true) assertCanRegister(read)
  if (maxFailures != null && maxFailures < 0) throw badInput(`maxFailures must be 0 or more, not ${maxFailures}`)
  const job = newJob(context, {
    name: readName(name, clock()),
    ...found.selection,
    operations: read,
    rate: readRate(rate),
    maxFailures: maxFailures ?? null,
    expected,
  })
  return { job, ids: found.ids, rows: found.rows }
}

/**
 * Throws if an operation cannot apply to new devices:
 * - A registration sets no overrides.
 * - A new device has no services that a filter could match.
 * - A job cannot delete the devices that it registers.
 */
function assertCanRegister(operations: BulkJob['operations']): void {
  const isPossible = operations.every((operation) => {
    if ('setAttributes' in operation)
      return operation.setAttributes.context == null && operation.setAttributes.services == null
    return 'update' in operation || 'addService' in operation
  })
  if (!isPossible)
    throw badInput(
      'operations: if target.register is true, only update, addService, and setAttributes with neither context nor services are allowed',
    )
}

type JobFields = Pick<
  BulkJob,
  'name' | 'target' | 'filter' | 'context' | 'operations' | 'rate' | 'maxFailures' | 'expected'
> & {
  undoOf?: string | null
}

export function newJob({ viewer, clock }: Context, input: JobFields): BulkJob {
  return {
    ...{
      id: `bj_${randomBytes(12).toString('hex')}`,
      state: 'DRAFT',
      reason: null,
      token: null,
      undoOf: null,
      hasSecrets: false,
    },
    ...{ created: clock(), createdBy: sourceOf(viewer), actorId: actorOf(viewer), startedBy: null, starter: null },
    ...{ previewed: null, started: null, finished: null },
    total: 0,
    ...noCounts,
    ...input,
  } as BulkJob
}

const readName = (name: string | null | undefined, now: Date): string => {
  if (name == null) return `Bulk change on ${now.toISOString().slice(0, 16).replace('T', ' ')}`
  assertName(name, 'name', limits.bulkNameLength)
  return name
}

export function readRate(rate: number | null | undefined): number {
  if (rate == null) return DEFAULT_RATE
  if (rate < 1 || rate > MAX_RATE) throw badInput(`rate must be from 1 to ${MAX_RATE} devices per second, not ${rate}`)
  return rate
}
