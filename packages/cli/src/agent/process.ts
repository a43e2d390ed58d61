// This file is the entry point of the agent process, which `replace-cli-with-agent.ts` starts. To save memory, the
// process does not load the code of other commands.
import { flushCompileCache } from 'node:module'
import type { AgentOptions } from './settings.ts'

const [options = '{}', phase] = process.argv.slice(2)
const { main } = await import('./signals-and-exit-code.ts')
if (process.env.NODE_COMPILE_CACHE !== undefined && phase !== 'warm') {
  // Write the compile cache and restart the process, which then does not load Node's TypeScript compiler. The compiler
  // uses 20 MB of memory.
  flushCompileCache()
  const again = [...process.execArgv, import.meta.filename, options, 'warm']
  process.execve!(process.execPath, [process.execPath, ...again], process.env)
}
process.exitCode = await main(JSON.parse(options) as AgentOptions)
