import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { commandsPath } from '../../packages/server/test/harness/bundled-programs.ts'

const root = new URL('../../', import.meta.url).pathname

/** Files and folders of a checkout that a reader uses. The workspace contains links to them. */
const checkout = ['README.md', 'docs', 'examples', 'node_modules', 'package.json', 'packages', 'schema.graphql']

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** A folder that resembles a reader's checkout, and a shell that keeps its variables between blocks. */
export interface Workspace {
  path: string
  run(command: string, env: Record<string, string>): Promise<CommandResult>
  /**
   * Starts a command that runs until the test ends. Resolves with a function that returns the command's standard output
   * so far.
   */
  startInBackground(command: string, env: Record<string, string>): Promise<() => string>
  write(name: string, text: string): Promise<void>
}

export async function openWorkspace(): Promise<Workspace> {
  const path = await mkdtemp(join(tmpdir(), 'muster-guide-'))
  // Retry the removal, because background programs may still write files while they stop.
  onTestFinished(() => rm(path, { recursive: true, maxRetries: 10 }))
  const state = join(path, '.shell')
  await mkdir(state)
  await writeFile(join(state, 'variables'), '')
  for (const name of checkout) await symlink(join(root, name), join(path, name))

  let commands = 0
  /** Redirects output to files, so that the shell can exit while a background program still writes. */
  const start = (command: string, env: Record<string, string>) => {
    const name = join(state, String(++commands))
    const [out, err] = [`${name}.out`, `${name}.err`]
    const files = [openSync(out, 'w'), openSync(err, 'w')] as const
    const child = spawn('bash', ['-c', `${prologue}\n${command}`, 'guide'], {
      cwd: path,
      env: {
        PATH: `${commandsPath()}:${root}node_modules/.bin:${process.env.PATH}`,
        HOME: path,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        MUSTER_GUIDE_STATE: state,
        // Prevent the server from treating a slow database on a busy machine as unresponsive.
        MUSTER_DATABASE_SILENCE: '20000',
        ...env,
      },
      stdio: ['ignore', ...files],
      // Create a process group, so that `endGroup` can kill all processes that the command starts.
      detached: true,
    })
    for (const file of files) closeSync(file)
    onTestFinished(() => endGroup(child))
    return { child, stdout: () => readFileSync(out, 'utf8'), stderr: () => readFileSync(err, 'utf8') }
  }
  return {
    path,
    write: (name, text) => writeFile(join(path, name), text),
    async run(command, env) {
      const { child, stdout, stderr } = start(command, env)
      const [code] = (await once(child, 'exit')) as [number | null]
      return { code, stdout: stdout(), stderr: stderr() }
    },
    async startInBackground(command, env) {
      return start(command, env).stdout
    },
  }
}

/** Keeps variables between blocks, and stops a block at the first command that fails. */
const prologue = `source "$MUSTER_GUIDE_STATE/variables"
set -aeo pipefail
trap 'export -p > "$MUSTER_GUIDE_STATE/variables"' EXIT`

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // ESRCH means that all processes of the group have already exited.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
