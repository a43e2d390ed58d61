import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AgentOptions, readSettings } from './settings.ts'
import { makeStateFolder } from './state/state-folder.ts'

/** For memory and against speed, which the agent does not need: 63 MB instead of 75. */
const flags = [
  '--no-opt',
  '--no-sparkplug',
  '--no-maglev',
  '--optimize-for-size',
  '--single-threaded-gc',
  '--max-semi-space-size=1',
  '--max-old-space-size=64',
]

/**
 * Becomes the agent. Where the system lets a process turn into another (execve), this one does, so that the memory that the
 * command line took is given back; the process id stays. Elsewhere the agent runs in this process.
 */
export async function startAgent(options: AgentOptions): Promise<number> {
  const program = fileURLToPath(new URL(`./process${extname(import.meta.filename)}`, import.meta.url))
  // A launcher that holds a channel to this process would lose it.
  const canBecome = process.execve !== undefined && process.platform !== 'win32' && process.channel === undefined
  if (!canBecome || !existsSync(program)) return (await import('./main.ts')).main(options)
  const { folder } = await readSettings(options)
  await makeStateFolder(folder)
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const { code, ...shown } = options
  // Arguments are for all to see.
  const own = code === undefined ? env : { ...env, MUSTER_CODE: code }
  return process.execve!(process.execPath, [process.execPath, ...flags, program, JSON.stringify(shown)], own)
}
