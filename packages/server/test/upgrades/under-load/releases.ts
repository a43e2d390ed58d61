import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = new URL('../../../../../', import.meta.url).pathname
const migrationsFolder = 'packages/server/migrations'
const inRoot = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
const git = async (...args: string[]): Promise<string> => (await promisify(execFile)('git', args, inRoot)).stdout

/** A commit with an earlier schema. */
export interface Release {
  commit: string
  migrations: string[]
}

/** Former names of migrations. No release contained a migration with one of these names. */
const renamedBeforeRelease = new Set(['0015_event_source'])

/** Returns the last commit of each earlier schema in the history. */
export async function formerReleases(): Promise<Release[]> {
  const now = namesOf(await readdir(join(root, migrationsFolder)))
  const commits = (await git('log', '--format=%H', '--reverse', '--', `:(glob)${migrationsFolder}/*.ts`)).split('\n')
  const changing = commits.filter(Boolean)
  // Check the parent of each commit that changed the schema, and HEAD, in case the latest change is not committed yet.
  const candidates = [...changing.slice(1).map((commit) => `${commit}^`), 'HEAD']
  const releases = new Map<string, Release>()
  for (const candidate of candidates) {
    const commit = (await git('rev-parse', candidate)).trim()
    const migrations = namesOf((await git('ls-tree', '--name-only', `${commit}:${migrationsFolder}`)).split('\n'))
    if (migrations.some((name) => renamedBeforeRelease.has(name))) continue
    const unknown = migrations.filter((name) => !now.includes(name))
    if (unknown.length > 0)
      throw new Error(`migrations must keep their names, but these of ${commit} no longer exist: ${unknown.join(', ')}`)
    if (migrations.length < now.length) releases.set(migrations.join(), { commit, migrations })
  }
  return [...releases.values()]
}

const namesOf = (files: readonly string[]): string[] =>
  files
    .filter((file) => /^\d{4}_.*\.ts$/.test(file))
    .map((file) => file.slice(0, -3))
    .sort()

/** Writes a commit's code to a folder, with the dependencies that its lock file names. */
export async function extractRelease(commit: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const archive = join(folder, 'code.tar')
  await git('archive', '--output', archive, commit, 'package.json', 'package-lock.json', 'packages')
  await promisify(execFile)('tar', ['-x', '-f', archive, '-C', folder])
  const lock = 'package-lock.json'
  const hasSameDependencies = (await readFile(join(folder, lock))).equals(await readFile(join(root, lock)))
  if (hasSameDependencies) await linkModules(folder)
  else await promisify(execFile)('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit'], { cwd: folder })
  await linkConsole(folder)
}

/** Copies the packages in the working tree, and any further migrations, to a folder. */
export async function copyWorkingTree(folder: string, furtherMigrations?: URL): Promise<void> {
  const files = (
    await git('ls-files', '--cached', '--others', '--exclude-standard', '-z', 'package.json', 'packages')
  ).split('\0')
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await cp(join(root, file), join(folder, file))
  }
  if (furtherMigrations !== undefined) {
    for (const file of await readdir(furtherMigrations))
      await cp(new URL(file, furtherMigrations), join(folder, migrationsFolder, file))
  }
  await linkModules(folder)
  await linkConsole(folder)
}

/**
 * In `node_modules`, links the repository's packages to those in the folder, and all other dependencies to those of
 * this checkout.
 */
async function linkModules(folder: string): Promise<void> {
  const link = async (from: string, to: string): Promise<void> => {
    for (const name of await readdir(join(root, from)).catch(() => [])) {
      await mkdir(join(folder, to), { recursive: true })
      if (name !== '@muster') await symlink(join(root, from, name), join(folder, to, name))
    }
  }
  await link('node_modules', 'node_modules')
  await link('packages/server/node_modules', 'packages/server/node_modules')
  await mkdir(join(folder, 'node_modules/@muster'))
  for (const name of await readdir(join(folder, 'packages')))
    await symlink(join(folder, 'packages', name), join(folder, 'node_modules/@muster', name))
}

async function linkConsole(folder: string): Promise<void> {
  if (existsSync(join(root, 'packages/console/dist')))
    await symlink(join(root, 'packages/console/dist'), join(folder, 'packages/console/dist'))
}
