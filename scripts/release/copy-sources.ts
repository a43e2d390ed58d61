import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A folder in `packages/`. If only some of its files are copied, `only` contains their paths within `src`. */
export interface SourcePackage {
  folder: string
  only?: readonly string[]
}

/** Copies sources as JavaScript, because Node.js does not strip the types of installed packages. */
export async function copySources(packages: readonly SourcePackage[], target: string): Promise<void> {
  const files = (await Promise.all(packages.map(listSources))).flat()
  const copied: ReadonlySet<string> = new Set(files)
  const exported = await Promise.all(packages.map(({ folder }) => readExports(folder)))
  const find = (specifier: string): string | undefined =>
    exported.flatMap((paths) => resolveExport(paths, specifier) ?? []).find((path) => copied.has(path))
  for (const file of files) await copySource(file, target, find)
}

async function listSources({ folder, only }: SourcePackage): Promise<string[]> {
  if (only !== undefined) return only.map((file) => join(folder, 'src', file))
  const all = await readdir(join(root, 'packages', folder), { recursive: true })
  return all
    .filter(
      (file) => /^(src|migrations)\/.*\.(ts|graphql)$/.test(file) && !/(\.test|-fixture)\.ts$|(^|\/)test-/.test(file),
    )
    .map((file) => join(folder, file))
    .sort()
}

interface Exports {
  name: string
  folder: string
  patterns: [pattern: string, path: string][]
}

async function readExports(folder: string): Promise<Exports> {
  const { name, exports = {} } = JSON.parse(await readFile(join(root, 'packages', folder, 'package.json'), 'utf8'))
  return { name, folder, patterns: Object.entries(exports as Record<string, string>) }
}

/**
 * Returns the path, relative to `packages/`, of the file to which an import refers. Returns undefined if the package
 * has no matching export (https://nodejs.org/api/packages.html#subpath-patterns).
 */
function resolveExport({ name, folder, patterns }: Exports, specifier: string): string | undefined {
  if (specifier !== name && !specifier.startsWith(`${name}/`)) return
  const subpath = `.${specifier.slice(name.length)}`
  for (const [pattern, path] of patterns) {
    const [start = '', end] = pattern.split('*')
    if (end === undefined ? subpath === pattern : subpath.startsWith(start) && subpath.endsWith(end)) {
      return join(folder, path.replace('*', subpath.slice(start.length, subpath.length - (end?.length ?? 0))))
    }
  }
}

async function copySource(file: string, target: string, find: (specifier: string) => string | undefined) {
  const source = join(root, 'packages', file)
  const copy = join(target, 'packages', file.replace(/\.ts$/, '.js'))
  await mkdir(dirname(copy), { recursive: true })
  if (!file.endsWith('.ts')) return copyFile(source, copy)
  const text = stripTypeScriptTypes(await readFile(source, 'utf8'))
  const withPaths = text.replaceAll(/(['"])(@muster\/[^'"\n]+)\1/g, (whole, _quote, specifier: string) => {
    const found = find(specifier)
    if (found === undefined) return whole
    const path = relative(dirname(file), found)
    return `'${path.startsWith('.') ? path : `./${path}`}'`
  })
  await writeFile(copy, toJavaScriptNames(withPaths))
}

/** Replaces `.ts` with `.js` in the relative paths of static imports, dynamic imports, and `new URL('./x.ts', …)`. */
export const toJavaScriptNames = (text: string): string =>
  text.replaceAll(/((?:\bfrom|\bimport|\bURL)\s*\(?\s*)(['"])(\.{1,2}\/[^'"\n]*)\.ts\2/g, '$1$2$3.js$2')
