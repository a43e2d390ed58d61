import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './copy-sources.ts'

export interface Manifest {
  name: string
  version: string
  description?: string
  license: string
  type: string
  engines: Record<string, string>
  bin?: Record<string, string>
  exports?: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  overrides?: unknown
}

/** Reads a package's manifest, with the version and the license of the root package. */
export async function readManifest(folder: string): Promise<Manifest> {
  const read = async (path: string): Promise<Manifest> => JSON.parse(await readFile(join(root, path), 'utf8'))
  const { version, license } = await read('package.json')
  return { ...(await read(`packages/${folder}/package.json`)), version, license }
}

/** Writes `package.json` to the folder `target`. Omits properties that are undefined. */
export async function writeManifest(target: string, manifest: Record<string, unknown>): Promise<void> {
  await mkdir(target, { recursive: true })
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/**
 * Combines the dependencies of several packages, without the packages of this repository. Throws if two packages
 * require different version ranges of a dependency.
 */
export function combineDependencies(...all: (Record<string, string> | undefined)[]): Record<string, string> {
  const combined = new Map<string, string>()
  for (const [name, range] of all.flatMap((some) => Object.entries(some ?? {}))) {
    if (name.startsWith('@muster/')) continue
    if ((combined.get(name) ?? range) !== range)
      throw new Error(
        `Packages require different versions of ${name}: ${combined.get(name)} and ${range}. Require the same versions in all packages.`,
      )
    combined.set(name, range)
  }
  return Object.fromEntries([...combined].sort(([a], [b]) => (a < b ? -1 : 1)))
}
