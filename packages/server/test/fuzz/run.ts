/**
 * `npm run test:fuzz -- [--seed N] [--count N] [--only NAME]` runs the tests in this folder with many more inputs than
 * `npm test`. `--seed` repeats the inputs of an earlier run. `--count` is the number of mutated signed requests.
 * `--only` accepts signatures, documents, strings, filters, or packets.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' }, only: { type: 'string' } },
})
const seed = Number(values.seed ?? randomInt(2 ** 31))
const signatures = Number(values.count ?? 200_000)
if (![seed, signatures].every(Number.isSafeInteger))
  throw new Error('--seed and --count must be whole numbers, such as 1000')

const scale = { seed, signatures, documents: 20_000, strings: 1_000, bodies: 5_000, filters: 12_000, packets: 5_000 }
console.log(`seed ${seed} (repeat with --seed ${seed})`)
const folder = await mkdtemp(join(tmpdir(), 'muster-figures-'))
const figures = join(folder, 'figures')
const child = spawn(
  'vitest',
  [
    'run',
    `packages/server/test/fuzz/${values.only ?? ''}`,
    '--silent=false',
    '--disable-console-intercept',
    '--no-file-parallelism',
    '--testTimeout=0',
  ],
  { stdio: 'inherit', env: { ...process.env, FUZZ: JSON.stringify(scale), FUZZ_FIGURES: figures } },
)
const [code] = (await once(child, 'exit')) as [number | null]
console.log(tableOf(await readFile(figures, 'utf8').catch(() => '')))
await rm(folder, { recursive: true })
process.exitCode = code ?? 1

function tableOf(lines: string): string {
  const last = new Map<string, string>()
  for (const line of lines.split('\n').filter(Boolean)) {
    const { seed: _seed, document, ...results } = JSON.parse(line) as Record<string, unknown>
    const test = document === undefined ? (Object.keys(results)[0] ?? '') : `document: ${document}`
    const figures = Object.entries(results).map(([name, value]) => `${name} ${value}`)
    last.set(test, figures.join(', '))
  }
  const rows = Array.from(last, ([test, figures]) => `| ${test} | ${figures} |`)
  return [`| Seed ${seed} | Results |`, '|---|---|', ...rows].join('\n')
}
