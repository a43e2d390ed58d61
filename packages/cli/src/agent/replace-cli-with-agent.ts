import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AgentOptions, readSettings } from './settings.ts'
import { createStateFolder } from './state/state-folder.ts'

/** These flags reduce memory use (README.md) at the expense of speed, which the agent does not need. */
const flags = [
  '--no-opt',
  '--no-sparkplug',
  '--no-maglev',
  '--optimize-for-size',
  '--single-threaded-gc',
  '--max-semi-space-size=1',
  '--max-old-space-size=64',
]

/** Starts the agent. Where possible, the agent replaces this process, to free the CLI's memory. */
export async function startAgent(options: AgentOptions): Promise<number> {
  const program = fileURLToPath(new URL(`./process${extname(import.meta.filename)}`, import.meta.url))
  // A process with an IPC channel is not replaced, because `execve` would close the channel.
  const canBecome = process.execve !== undefined && process.platform !== 'win32' && process.channel === undefined
  if (!canBecome || !existsSync(program)) return (await import('./signals-and-exit-code.ts')).main(options)
  const { folder } = await readSettings(options)
  await createStateFolder(folder)
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const { code, ...shown } = options
  // Pass the code in the environment, because other users can see a process's arguments.
  const own = code === undefined ? env : { ...env, MUSTER_CODE: code }
  return process.execve!(process.execPath, [process.execPath, ...flags, program, JSON.stringify(shown)], own)
}
