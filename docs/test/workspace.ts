import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const root = new URL('../../', import.meta.url).pathname

/** What a reader has in the folder of a checkout; what commands write goes beside it. */
const checkout = ['README.md', 'docs', 'examples', 'node_modules', 'package.json', 'packages', 'schema.graphql']

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** A folder as a reader of a page stands in it, and a shell that keeps its variables from one block to the next. */
export interface Workspace {
  path: string
  run(command: string, env: Record<string, string>): Promise<Ran>
  /** Goes on by itself until the test ends; resolves what it has printed so far. */
  startInBackground(command: string, env: Record<string, string>): Promise<() => string>
  write(name: string, text: string): Promise<void>
}

export async function openWorkspace(): Promise<Workspace> {
  const path = await mkdtemp(join(tmpdir(), 'muster-guide-'))
  // What was left behind and is being ended may still write.
  onTestFinished(() => rm(path, { recursive: true, maxRetries: 10 }))
  const state = join(path, '.shell')
  await mkdir(state)
  await writeFile(join(state, 'variables'), '')
  for (const name of checkout) await symlink(join(root, name), join(path, name))

  let commands = 0
  /** What it prints goes to files, which do not hold up the shell's end when it leaves a program behind. */
  const start = (command: string, env: Record<string, string>) => {
    const name = join(state, String(++commands))
    const [out, err] = [`${name}.out`, `${name}.err`]
    const files = [openSync(out, 'w'), openSync(err, 'w')] as const
    const child = spawn('bash', ['-c', `${prologue}\n${command}`, 'guide'], {
      cwd: path,
      env: {
        PATH: `${root}node_modules/.bin:${process.env.PATH}`,
        HOME: path,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        MUSTER_GUIDE_STATE: state,
        // A busy machine is no database that fell silent.
        MUSTER_DATABASE_SILENCE: '20000',
        ...env,
      },
      stdio: ['ignore', ...files],
      // A group of its own, so that all it starts goes with it.
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

/** Variables go from block to block, and the first command that fails ends a block. */
const prologue = `source "$MUSTER_GUIDE_STATE/variables"
set -aeo pipefail
trap 'export -p > "$MUSTER_GUIDE_STATE/variables"' EXIT`

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
