import { list } from './checks.ts'
import { percentile } from './other-user.ts'
import type { Result } from './run-row.ts'

const ms = (value: number): string => `${value.toFixed(0)} ms`

const heading = [
  '| # | Attack | Other user: p50, max | rejected | /readyz | Devices connected | Server MiB: before, max, after | PostgreSQL MiB: before, max | Attacker received |',
  '|---|---|---|---|---|---|---|---|---|',
]

const line = ({ row, times, rejections, readyz, devices, memory, outcomes }: Result): string =>
  `| ${[
    row.name,
    row.attack,
    `${ms(percentile(times, 0.5))}, ${ms(times.at(-1) ?? Number.NaN)}`,
    `${Object.values(rejections).reduce((sum, count) => sum + count, 0)} of ${times.length}`,
    list(readyz),
    `${devices.connected} of ${devices.of}`,
    [memory.before, memory.most, memory.after].map(({ server }) => server.toFixed(0)).join(', '),
    [memory.before, memory.most].map(({ database }) => database.toFixed(0)).join(', '),
    list(outcomes),
  ].join(' | ')} |`

export const printTable = (results: readonly Result[]): void =>
  console.log([...heading, ...results.map(line)].join('\n'))

export function printFailures(name: string, failures: readonly string[]): void {
  for (const failure of failures) console.log(`row ${name} fails: ${failure}`)
}
