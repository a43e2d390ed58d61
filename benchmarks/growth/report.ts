import { table } from '../report/report.ts'
import type { Result } from './measure.ts'

export interface GrowthReport {
  machine: readonly string[]
  method: string
  results: readonly Result[]
  /** Why rows miss their targets, by title. */
  explanations: ReadonlyMap<string, string>
}

/** As Markdown, whose table is readable on a terminal too. */
export function toMarkdown({ machine, method, results, explanations }: GrowthReport): string {
  const notes = results.flatMap(({ row, meanwhile }) =>
    meanwhile === undefined ? [] : [`- ${row.title}: ${meanwhile.note}`],
  )
  const missed = results.filter((result) => isMet(result) === false)
  const reasons = missed.map((result) => `### ${result.row.title}\n\n${reasonFor(result, explanations)}`)
  const head = ['What', 'Small', 'Large', 'Small ms', 'Large ms', 'Times', 'Least to most', 'Target', 'Met']
  const parts = [
    '# Growth',
    `Made by \`npm run bench -- growth/growth\`. ${method}`,
    machine.map((line) => `- ${line}`).join('\n'),
    table(head, results.map(cells)),
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
    ...(reasons.length === 0 ? [] : ['## Where the time goes where a target is missed', ...reasons]),
  ]
  return `${parts.join('\n\n')}\n`
}

function reasonFor({ row, meanwhile }: Result, explanations: GrowthReport['explanations']): string {
  if (meanwhile?.isEnough === false) return `What was to go on meanwhile did not: ${meanwhile.note}.`
  return explanations.get(row.title) ?? 'Not explained yet.'
}

/** Undefined where there is no target. */
const isMet = ({ row: { target }, times, meanwhile }: Result): boolean | undefined =>
  target === undefined ? undefined : times.median <= target && meanwhile?.isEnough !== false

function cells(result: Result): string[] {
  const { row, small, large, times } = result
  const { title, of = 'few', with: grown = 'many', target } = row
  return [
    title,
    of,
    grown,
    milliseconds(small.median),
    milliseconds(large.median),
    times.median.toFixed(2),
    `${times.least.toFixed(2)} to ${times.most.toFixed(2)}`,
    target === undefined ? '' : `≤ ${target}`,
    target === undefined ? '' : isMet(result) ? 'yes' : '**no**',
  ]
}

const milliseconds = (value: number): string => value.toFixed(value < 100 ? 1 : 0)
