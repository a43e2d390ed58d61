import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export async function run(program: string, args: readonly string[], folder: string): Promise<string> {
  try {
    return (await execute(program, args, { cwd: folder, maxBuffer: 64 * 2 ** 20 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed in ${folder}:\n${stdout ?? ''}${stderr ?? ''}`, {
      cause: error,
    })
  }
}

export const npm = (folder: string, args: readonly string[]): Promise<string> =>
  run('npm', [...args, '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'], folder)
