import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { CliError } from '../../errors/cli-error.ts'

/** State folder of an agent that runs as a system service. systemd creates the folder (StateDirectory=). */
export const SYSTEM_STATE = '/var/lib/muster-agent'

/**
 * Returns the agent's state folder, which is the first of these that applies:
 *
 * - the specified folder
 * - MUSTER_AGENT_STATE
 * - systemd's STATE_DIRECTORY
 * - /var/lib/muster-agent, if the user is root
 * - `muster-agent` in the user's state folder
 */
export function stateFolder(named: string | undefined, env = process.env): string {
  const given = named ?? (env.MUSTER_AGENT_STATE || env.STATE_DIRECTORY || undefined)
  if (given !== undefined) return resolve(given)
  if (process.getuid?.() === 0) return SYSTEM_STATE
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'muster-agent')
}

export async function createStateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new CliError(`cannot create the agent's state folder: ${error.message}`, {
      hint: 'Run the command as a user that can create this folder. "muster agent register" and "muster agent run" accept another folder with --state.',
    })
  })
}
