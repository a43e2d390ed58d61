import { readFileSync } from 'node:fs'

/**
 * A placeholder for the registry that npm uses. `.npmrc` names the placeholder's domain in `replace-registry-host`. The
 * domain can never exist (RFC 2606).
 */
const REGISTRY = 'https://registry.invalid'

interface LockedPackage {
  name?: string
  version?: string
  resolved?: string
  link?: boolean
}

/**
 * Adds the URL of each package to the lock file. Without URLs, `npm ci` also downloads a description of all versions of
 * each package.
 */
export function generateLockUrls(): [path: string, text: string] {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
  const packages = Object.entries<LockedPackage>(lock.packages).map(([path, locked]) => [path, withUrl(path, locked)])
  return ['package-lock.json', `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`]
}

function withUrl(path: string, locked: LockedPackage): LockedPackage {
  const folder = 'node_modules/'
  if (locked.link || !path.includes(folder)) return locked
  const name = locked.name ?? path.slice(path.lastIndexOf(folder) + folder.length)
  const { name: alias, version, resolved: _, ...rest } = locked
  const resolved = `${REGISTRY}/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`
  return { ...(alias !== undefined && { name: alias }), version: version!, resolved, ...rest }
}
