/**
 * `npm run test:faults -- [--only NAME] [--kills N] [--cuts N] [--seconds N]`: clients at work while what they work with fails in
 * each of these ways. `--only` is one of kills, outage, cuts, clock. A table of what was found stands at the end.
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
  if (!/^\d+$/.test(values[name])) throw new Error(`--${name} is a whole number`)
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
      // It takes the right to mount a disk.
      ...(process.getuid?.() === 0 && { FAULTS_FULL: '1' }),
    },
  },
)
const [code] = (await once(child, 'exit')) as [number | null]
const lines = await readFile(figures, 'utf8').catch(() => '')
console.log(`| Fault | Found | |\n|---|---|---|\n${lines}`)
await rm(folder, { recursive: true })
process.exitCode = code ?? 1
