import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

export interface Project {
  folder: string
  write(name: string, text: string): Promise<string>
  run(command: string, args: string[], env?: Record<string, string>): Promise<Ran>
  remove(): Promise<void>
}

/** Creates a project in a temporary folder. With `linked`, the project uses the packages of this repository. */
export async function createProject({ linked }: { linked: boolean }): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-client-'))
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    return path
  }
  await write('package.json', '{ "name": "project", "private": true, "type": "module" }')
  if (linked) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    write,
    run: (command, args, env = {}) => run(command, args, { cwd: folder, env }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function run(
  command: string,
  args: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Ran> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const options = { cwd, env: { PATH, HOME: cwd, NODE_COMPILE_CACHE, ...env }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr })
    })
  })
}

export const strictSettings = (lib: string[], types: string[] = []): string =>
  JSON.stringify({
    compilerOptions: {
      target: 'es2024',
      lib,
      types,
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      allowImportingTsExtensions: true,
    },
    include: ['*.ts'],
  })
