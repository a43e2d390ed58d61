import { type Figure, isMet, type Outcome, type Rate } from '../scenarios/scenario.ts'
import type { Spread } from './statistics.ts'

export interface Report {
  /** What the figures were taken on and with. */
  machine: readonly string[]
  /** How they were taken. */
  method: string
  /** What is not in them, and why. */
  missing: readonly string[]
  outcomes: readonly { name: string; title: string; outcome: Outcome }[]
  /** Where the time goes that a scenario falls short by, by its name. */
  explanations: ReadonlyMap<string, string>
}

/** The report as Markdown, whose tables are readable on a terminal too. */
export function toMarkdown({ machine, method, missing, outcomes, explanations }: Report): string {
  const figures = outcomes.flatMap(({ title, outcome }) =>
    outcome.figures.map((figure) => [title, ...figureCells(figure)]),
  )
  const short = outcomes.filter(({ outcome }) => outcome.figures.some((figure) => isMet(figure) === false))
  const explained = short.map(
    ({ name, title }) => `### ${title}\n\n${explanations.get(name) ?? 'Nobody has said yet why.'}`,
  )
  const rates = outcomes.flatMap(({ title, outcome }) => outcome.rates.map((rate) => [title, ...rateCells(rate)]))
  const parts = [
    '# Speed, side by side',
    `Made by \`npm run bench\`. ${method}`,
    machine.map((line) => `- ${line}`).join('\n'),
    '## Targets',
    table(['Scenario', 'Measured', 'Median', 'Least to most', 'Target', 'Met'], figures),
    ...(short.length === 0 ? [] : ['## Where the time goes where a target is missed', ...explained]),
    '## Requests a second',
    table(['Scenario', 'Who', 'Median', 'Least to most', 'p50 ms', 'p99 ms', 'CPU ms each'], rates),
    ...(missing.length === 0 ? [] : ['## Missing', missing.map((line) => `- ${line}`).join('\n')]),
  ]
  return `${parts.join('\n\n')}\n`
}

function figureCells(figure: Figure): string[] {
  const { name, spread, unit, target } = figure
  const write = (value: number): string => (unit === undefined ? value.toFixed(2) : `${value.toFixed(0)} ${unit}`)
  const wanted =
    target && `${target.bound === 'least' ? '≥' : '≤'} ${target.value}${unit === undefined ? '' : ` ${unit}`}`
  const met = isMet(figure)
  return [
    name,
    write(spread.median),
    between(spread, write),
    wanted ?? '',
    met === undefined ? '' : met ? 'yes' : '**no**',
  ]
}

function rateCells({ name, perSecond, latency, processorTime }: Rate): string[] {
  const write = (value: number): string => (value < 100 ? value.toFixed(1) : value.toFixed(0))
  const time = processorTime?.toPrecision(2) ?? ''
  return [name, write(perSecond.median), between(perSecond, write), write(latency.p50), write(latency.p99), time]
}

const between = ({ least, most }: Spread, write: (value: number) => string): string =>
  least === most ? '' : `${write(least)} to ${write(most)}`

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
