// The agent's own process: it holds the agent and nothing of the other commands. `start.ts` begins it.
import { flushCompileCache } from 'node:module'
import type { AgentOptions } from './settings.ts'

const [options = '{}', turn] = process.argv.slice(2)
const { main } = await import('./main.ts')
if (process.env.NODE_COMPILE_CACHE !== undefined && turn !== 'warm') {
  // What was compiled just now is read from the cache the next time, without the compiler, which takes 20 MB to load.
  flushCompileCache()
  const again = [...process.execArgv, import.meta.filename, options, 'warm']
  process.execve!(process.execPath, [process.execPath, ...again], process.env)
}
process.exitCode = await main(JSON.parse(options) as AgentOptions)
