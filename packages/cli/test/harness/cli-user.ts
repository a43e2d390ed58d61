import { join } from 'node:path'
import type { TestApp, TestUser } from '../../../server/test/harness/app.ts'
import {
  type CommandResult,
  credentialsOf,
  muster,
  type RunningCommand,
  type RunOptions,
  startMuster,
  temporaryFolder,
} from './muster.ts'

export interface CliUser {
  user: TestUser
  home: string
  env: Record<string, string>
  run(...args: string[]): Promise<CommandResult>
  start(args: string[], options?: RunOptions): RunningCommand
  /** Runs a command with `--json` and returns its parsed output lines. Throws if the command fails. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the output of its commands
  lines(...args: string[]): Promise<any[]>
  write(name: string, text: string | Buffer): Promise<string>
}

export async function createCliUser(app: TestApp): Promise<CliUser> {
  const user = await app.createUser()
  const folder = await temporaryFolder()
  const env = {
    HOME: folder.path,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    // Keep the CLI from using the data folder of a server on this machine.
    MUSTER_DATA: join(folder.path, 'data'),
    MUSTER_CREDENTIALS: await folder.write('credentials', credentialsOf(app.url, user)),
  }
  const run = (...args: string[]): Promise<CommandResult> => muster(args, { env })
  return {
    user,
    home: folder.path,
    env,
    run,
    start: (args, options) => startMuster(args, { ...options, env: { ...env, ...options?.env } }),
    async lines(...args) {
      const { code, stdout, stderr } = await run(...args, '--json')
      if (code !== 0) throw new Error(`muster ${args.join(' ')} exited with code ${code}: ${stderr}`)
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    },
    write: folder.write,
  }
}

export async function addDevices(user: TestUser, names: readonly string[], attributes: object = {}): Promise<string[]> {
  const ids: string[] = []
  const document =
    'mutation($name: String!, $attributes: Object) { registerDevice(name: $name, attributes: $attributes) { device { id } } }'
  for (const name of names) ids.push((await user.data(document, { name, attributes })).registerDevice.device.id)
  return ids
}
