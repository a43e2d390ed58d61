/** `npm run test:faults -- [--kills N]`: clients at work while servers and their PostgreSQL are killed again and again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { kills: { type: 'string' } } })
const kills = Number(values.kills ?? 200)
if (!Number.isSafeInteger(kills)) throw new Error('--kills is a whole number')
const child = spawn(
  'vitest',
  ['run', 'packages/server/test/faults', '--disable-console-intercept', '--testTimeout=0'],
  { stdio: 'inherit', env: { ...process.env, FAULTS_KILLS: String(kills) } },
)
const [code] = (await once(child, 'exit')) as [number | null]
process.exitCode = code ?? 1
