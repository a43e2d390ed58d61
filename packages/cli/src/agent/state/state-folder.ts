import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { CliError } from '../../cli-error.ts'

/** Where the agent of the system keeps it; systemd makes it (StateDirectory=). */
export const SYSTEM_STATE = '/var/lib/muster-agent'

/**
 * Where the agent keeps what it must not lose: the folder named, else the one that systemd made for it, else
 * /var/lib/muster-agent for root, else the user's folder for state.
 */
export function stateFolder(named: string | undefined, env = process.env): string {
  const given = named ?? (env.MUSTER_AGENT_STATE || env.STATE_DIRECTORY || undefined)
  if (given !== undefined) return resolve(given)
  if (process.getuid?.() === 0) return SYSTEM_STATE
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'muster-agent')
}

export async function makeStateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new CliError(`the agent's folder cannot be made: ${error.message}`, {
      hint: '--state or MUSTER_AGENT_STATE names another.',
    })
  })
}
