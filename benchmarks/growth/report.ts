import { table } from '../run/report.ts'
import type { Result } from './measure.ts'

export interface GrowthReport {
  machine: readonly string[]
  method: string
  results: readonly Result[]
}

/** As Markdown, whose table is readable on a terminal too. */
export function toMarkdown({ machine, method, results }: GrowthReport): string {
  const notes = results.flatMap(({ row, meanwhile }) =>
    meanwhile === undefined ? [] : [`- ${row.title}: ${meanwhile.note}`],
  )
  const head = ['What', 'Small', 'Large', 'Small ms', 'Large ms', 'Times', 'Least to most', 'Target', 'Met']
  const parts = [
    '# Growth',
    `Made by \`npm run bench -- growth/growth\`. ${method}`,
    machine.map((line) => `- ${line}`).join('\n'),
    table(head, results.map(cells)),
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
  ]
  return `${parts.join('\n\n')}\n`
}

function cells({ row, small, large, times, meanwhile }: Result): string[] {
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
    target === undefined ? '' : times.median <= target && meanwhile?.isEnough !== false ? 'yes' : '**no**',
  ]
}

const milliseconds = (value: number): string => value.toFixed(value < 100 ? 1 : 0)
