import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const launcherFile = 'packages/cli/bin/muster.js'
const mainFile = 'packages/server/src/main.ts'
const migrations = 'packages/server/migrations'
const commandFolder = 'bin'

/**
 * Bundles the server, its processes, its migrations, and the CLI. A process loads the few files of a bundle in half
 * the CPU time that it would need for the source files.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  const entries = [mainFile, 'packages/server/src/processes/process.ts', 'packages/cli/src/main.ts']
  for (const name of await readdir(join(root, migrations))) {
    if (name.endsWith('.ts')) entries.push(join(migrations, name))
  }
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), join(root, file)])),
    platform: 'node',
    // Pino starts threads from its own files. If mqtt were in the bundle, Node.js would warn about a deprecated
    // function. Node.js omits this warning only for code in node_modules.
    external: ['pino', 'pino-pretty', 'thread-stream', 'mqtt'],
    plugins: [keepLocations(folder)],
    logLevel: 'silent',
  })
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' })
  await bundle.close()
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await copyLauncher(folder)
  process.env.MUSTER_TEST_PROGRAMS = folder
}

async function copyLauncher(folder: string): Promise<void> {
  const text = await readFile(join(root, launcherFile), 'utf8')
  await mkdir(dirname(join(folder, launcherFile)), { recursive: true })
  await writeFile(join(folder, launcherFile), text.replace("'../src/main.ts'", "'../src/main.js'"), { mode: 0o755 })
  await mkdir(join(folder, commandFolder))
  await symlink(join(folder, launcherFile), join(folder, commandFolder, 'muster'))
}

/** Resolves programs and migrations to files in the bundle's folder, and all other files to those in the checkout. */
function keepLocations(folder: string): Plugin {
  return {
    name: 'keep-locations',
    transform: {
      filter: { id: { exclude: /node_modules/ }, code: /import\.meta\.(url|filename)/ },
      handler: (code, id) => {
        const bundled = pathToFileURL(join(folder, relative(root, id))).href
        return code
          .replace("'./process.ts', import.meta.url", `'./process.js', '${bundled}'`)
          .replace("'../../migrations/', import.meta.url", `'../../migrations/', '${bundled}'`)
          .replaceAll('import.meta.url', `'${pathToFileURL(id).href}'`)
          .replaceAll('import.meta.filename', `'${id}'`)
      },
    },
  }
}

const find = (source: string, bundled: string): string =>
  process.env.MUSTER_TEST_PROGRAMS === undefined ? join(root, source) : join(process.env.MUSTER_TEST_PROGRAMS, bundled)

/** Returns the path of the command's bundle or, outside a test run, of its sources. */
export const launcherPath = (): string => find(launcherFile, launcherFile)

/** Returns the path of the server's bundle or, outside a test run, of its sources. */
export const serverPath = (): string => find(mainFile, mainFile.replace(/ts$/, 'js'))

export const commandsPath = (): string => find('node_modules/.bin', commandFolder)
