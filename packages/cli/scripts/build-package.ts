import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Dependencies that are available only in a checkout: the server and its database libraries. */
const ofServer: ReadonlySet<string> = new Set(['@muster/server', 'ini', 'pg', 'pino'])

/** A private package of this repository. The published package includes its code. */
const inside = '@muster/fleet-csv'

/** Server files that the published package includes, because the agent uses them. They import no other server files. */
const shared = ['lib/private-file.ts', 'features/services/application-types.ts']

/**
 * Builds the published package in a separate folder. Node.js strips types from the sources in this repository, but not from
 * installed packages, so the package contains the same files as plain JavaScript. It does not include the server.
 */
export async function buildPackage(dist: string): Promise<void> {
  await rm(dist, { recursive: true, force: true })
  await stripFolder(`${root}src`, dist, 'src')
  await stripFolder(join(root, '../fleet-csv/src'), dist, 'fleet-csv')
  for (const file of shared) await strip(join(root, '../server/src', file), dist, join('server', file))
  await mkdir(join(dist, 'bin'), { recursive: true })
  const launcher = await readFile(`${root}bin/muster.js`, 'utf8')
  await writeFile(join(dist, 'bin/muster.js'), toJavaScriptNames(launcher), { mode: 0o755 })
  await cp(`${root}README.md`, join(dist, 'README.md'))
  await cp(`${root}systemd`, join(dist, 'systemd'), { recursive: true }).catch(ignoreMissing)
  await writeFile(join(dist, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`)
}

async function stripFolder(folder: string, dist: string, name: string): Promise<void> {
  for (const file of await readdir(folder, { recursive: true })) {
    if (file.endsWith('.ts') && !file.endsWith('.test.ts')) await strip(join(folder, file), dist, join(name, file))
  }
}

async function strip(source: string, dist: string, file: string): Promise<void> {
  const text = stripTypeScriptTypes(await readFile(source, 'utf8'))
  const target = join(dist, file.replace(/\.ts$/, '.js'))
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, toJavaScriptNames(withSharedFiles(text, file)))
}

/** Replaces imports of included files with relative paths. */
function withSharedFiles(text: string, file: string): string {
  const pathTo = (name: string): string => {
    const path = relative(dirname(file), name).replaceAll('\\', '/')
    return path.startsWith('.') ? path : `./${path}`
  }
  return shared
    .reduce((result, name) => result.replaceAll(`'@muster/server/${name}'`, `'${pathTo(join('server', name))}'`), text)
    .replaceAll(new RegExp(`'${inside}/([^']+)'`, 'g'), (_whole, name) => `'${pathTo(join('fleet-csv', name))}.js'`)
}

/** Replaces the extensions of relative modules in static imports, dynamic imports, and `new URL('./x.ts', …)`. */
const toJavaScriptNames = (text: string): string =>
  text.replaceAll(/((?:\bfrom|\bimport|\bURL)\s*\(?\s*)(['"])(\.{1,2}\/[^'"\n]*)\.ts\2/g, '$1$2$3.js$2')

async function manifest(): Promise<Record<string, unknown>> {
  const { name, version, license, bin, dependencies } = JSON.parse(await readFile(`${root}package.json`, 'utf8'))
  const kept = Object.entries(dependencies as Record<string, string>).filter(
    ([dependency]) => !ofServer.has(dependency) && dependency !== inside,
  )
  return {
    name,
    version,
    description: "Muster's command line: devices, attributes, events, webhooks, and the agent",
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin,
    dependencies: Object.fromEntries(kept),
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
