import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copySources, root, toJavaScriptNames } from './copy-sources.ts'
import { readManifest, writeManifest } from './manifest.ts'

/**
 * Dependencies that npm need not install, because the package contains them, or because only commands that require the
 * server use them.
 */
const omitted: ReadonlySet<string> = new Set(['@muster/server', '@muster/filter', '@muster/fleet-csv', 'pg', 'pino'])

/** The files in `packages/server/src` that the CLI uses without a server. They import no other files of that folder. */
const shared = ['lib/private-file.ts', 'features/services/application-types.ts', 'version.ts']

const sources = [
  { folder: 'cli' },
  { folder: 'fleet-csv' },
  { folder: 'filter', only: ['names/closest-name.ts'] },
  { folder: 'server', only: shared },
]

/** Builds the CLI package without the server. Commands that need it fail with a message (`errors/failure.ts`). */
export async function buildCli(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  await copySources(sources, target)
  await copyProgram(target)
  await cp(join(root, 'packages/cli/README.md'), join(target, 'README.md'))
  await cp(join(root, 'LICENSE'), join(target, 'LICENSE'))
  const { name, version, license, dependencies = {} } = await readManifest('cli')
  const kept = Object.entries(dependencies).filter(([dependency]) => !omitted.has(dependency))
  await writeManifest(target, {
    name,
    version,
    description: "Muster's command line: devices, attributes, events, webhooks, and the agent",
    license,
    type: 'module',
    engines: { node: '>=26' },
    bin: { muster: 'packages/cli/bin/muster.js' },
    dependencies: { ...Object.fromEntries(kept), '@muster/client': version },
  })
}

export async function copyProgram(target: string): Promise<void> {
  const own = join(target, 'packages/cli')
  await mkdir(join(own, 'bin'), { recursive: true })
  const launcher = await readFile(join(root, 'packages/cli/bin/muster.js'), 'utf8')
  await writeFile(join(own, 'bin/muster.js'), toJavaScriptNames(launcher), { mode: 0o755 })
  await cp(join(root, 'packages/cli/systemd'), join(own, 'systemd'), { recursive: true })
}
