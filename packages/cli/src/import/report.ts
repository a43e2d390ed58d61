import { type Outcome, triedRows } from '@muster/fleet-csv/import/outcome'
import { type ExitCode, exitCodes } from '../errors/exit-codes.ts'
import { describe, exitCodeOf, printFailure } from '../errors/failure.ts'

export interface Report {
  outcome: Outcome
  path: string
  strict: boolean
  dryRun: boolean
  interrupted: boolean
}

export function reportText(report: Report): number {
  const { outcome, path, dryRun } = report
  for (const { line, reason } of sortedProblems(outcome)) console.error(`${path}:${line}: ${reason}`)
  if (isRejected(report)) {
    console.error(
      `Nothing was written, because --strict is set. Rows with errors: ${outcome.problems.length} of ${outcome.rows}. Fix these rows, or omit --strict to import the others.`,
    )
    return exitCodes.failed
  }
  console.log(`${dryRun ? 'Dry run: ' : ''}${summary(outcome)}`)
  const left = outcome.rows - triedRows(outcome)
  if (left > 0) console.error(`${rows(left)} not confirmed as imported. Import the file again to continue.`)
  if (outcome.stoppedBy !== undefined) printFailure(outcome.stoppedBy, { json: false })
  return exitCode(report)
}

export function reportJson(report: Report): number {
  const { outcome, dryRun } = report
  const { stoppedBy, ...counts } = outcome
  const left = isRejected(report) ? 0 : outcome.rows - triedRows(outcome)
  const error = stoppedBy === undefined ? {} : { error: describe(stoppedBy) }
  console.log(JSON.stringify({ ...counts, problems: sortedProblems(outcome), notTried: left, dryRun, ...error }))
  if (stoppedBy !== undefined) printFailure(stoppedBy, { json: true })
  return exitCode(report)
}

const isRejected = ({ strict, outcome: { problems, created, updated, unchanged } }: Report): boolean =>
  strict && problems.length > 0 && created + updated + unchanged === 0

function exitCode(report: Report): ExitCode {
  const { outcome, interrupted } = report
  if (isRejected(report)) return exitCodes.failed
  if (outcome.stoppedBy !== undefined) return exitCodeOf(outcome.stoppedBy)
  if (interrupted && triedRows(outcome) < outcome.rows) return exitCodes.interrupted
  return outcome.problems.length > 0 ? exitCodes.partly : exitCodes.ok
}

const sortedProblems = ({ problems }: Outcome) => problems.toSorted((one, other) => one.line - other.line)

const summary = ({ created, updated, unchanged, problems }: Outcome): string =>
  `${created} created, ${updated} updated, ${unchanged} unchanged${problems.length > 0 ? `, ${problems.length} rejected` : ''}`

const rows = (count: number): string => `${count} ${count === 1 ? 'row is' : 'rows are'}`
