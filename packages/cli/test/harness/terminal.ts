import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { launcherPath } from '../../../server/test/harness/bundled-programs.ts'
import type { CliUser } from './cli-user.ts'

/** Runs a command in a pseudo-terminal with 80 columns, and returns its output. Requires python3. */
export async function inTerminal({ env }: Pick<CliUser, 'env'>, ...args: readonly string[]): Promise<string> {
  const program = 'import pty, sys; pty.spawn(sys.argv[1:])'
  const shell = 'stty cols 80 rows 24; exec "$@"'
  const command = ['-c', program, 'sh', '-c', shell, 'sh', process.execPath, launcherPath(), ...args]
  const child = spawn('python3', command, {
    env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const output = await text(child.stdout)
  child.stdin.end()
  return output.replaceAll('\r\n', '\n')
}
