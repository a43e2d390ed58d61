/**
 * `npm run test:faults -- [--only NAME] [--kills N] [--cuts N] [--seconds N]` runs clients while parts of the system
 * fail. `--only` accepts kills, bulk, outage, cuts, or clock. `--kills` is the number of times to kill a server or
 * PostgreSQL. `--cuts` is the number of database connections to break. `--seconds` is the duration of each outage.
 * Prints a table of the results at the end.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    kills: { type: 'string', default: '200' },
    cuts: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
  },
})
for (const name of ['kills', 'cuts', 'seconds'] as const)
  if (!/^\d+$/.test(values[name])) throw new Error(`--${name} must be a whole number, not ${values[name]}`)
const folder = await mkdtemp(join(tmpdir(), 'muster-figures-'))
const figures = join(folder, 'figures')
const child = spawn(
  'vitest',
  [
    'run',
    `packages/server/test/faults/${values.only}`,
    '--silent=false',
    '--disable-console-intercept',
    '--no-file-parallelism',
    '--testTimeout=0',
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      FAULTS_FIGURES: figures,
      FAULTS_KILLS: values.kills,
      FAULTS_CUTS: values.cuts,
      FAULTS_OUTAGE: values.seconds,
      // The test of a full disk mounts a disk, which requires root.
      ...(process.getuid?.() === 0 && { FAULTS_FULL: '1' }),
    },
  },
)
const [code] = (await once(child, 'exit')) as [number | null]
const lines = await readFile(figures, 'utf8').catch(() => '')
console.log(`| Test | Result | |\n|---|---|---|\n${lines}`)
await rm(folder, { recursive: true })
process.exitCode = code ?? 1
