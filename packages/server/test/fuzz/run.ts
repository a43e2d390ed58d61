/**
 * `npm run test:fuzz -- [--seed N] [--count N] [--only NAME]`: everything that the tests of this folder try, much more of it.
 * `--count` is the number of signed requests; `--only` one of signatures, documents, texts, packets.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' }, only: { type: 'string' } },
})
const seed = Number(values.seed ?? randomInt(2 ** 31))
const signatures = Number(values.count ?? 200_000)
if (![seed, signatures].every(Number.isSafeInteger)) throw new Error('--seed and --count are whole numbers')

const scale = { seed, signatures, documents: 20_000, texts: 1_000, bodies: 5_000, packets: 5_000 }
console.log(`seed ${seed}: --seed ${seed} does the same again`)
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
  { stdio: 'inherit', env: { ...process.env, FUZZ: JSON.stringify(scale) } },
)
const [code] = (await once(child, 'exit')) as [number | null]
process.exitCode = code ?? 1
