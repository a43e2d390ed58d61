import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { root } from './copy-sources.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'

/** Builds a package with its types. The build includes all dependencies. */
export async function buildLibrary(folder: 'client' | 'http-signature', target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  const source = join(root, 'packages', folder)
  const manifest = await readManifest(folder)
  const entries = Object.values(manifest.exports ?? {}).map((path) => basename(path, '.ts'))
  await build({
    root: source,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: target,
      target: 'es2022',
      minify: false,
      lib: { entry: Object.fromEntries(entries.map((name) => [name, `${source}/src/${name}.ts`])), formats: ['es'] },
      emptyOutDir: false,
      // Write one module per source file, so that bundlers can drop unused code.
      rolldownOptions: {
        external: [/^node:/],
        output: {
          preserveModules: true,
          preserveModulesRoot: `${source}/src`,
          entryFileNames: ({ name }) => fileOf(name),
        },
      },
    },
  })
  await emitTypes(source, target)
  await copyFile(`${source}/README.md`, `${target}/README.md`)
  if (existsSync(`${source}/docs`)) await cp(`${source}/docs`, `${target}/docs`, { recursive: true })
  await copyFile(join(root, 'LICENSE'), `${target}/LICENSE`)
  const license = fileURLToPath(new URL('../LICENSE', import.meta.resolve('structured-headers')))
  await copyFile(license, `${target}/LICENSE-structured-headers`)
  await writeManifest(target, libraryManifest(manifest))
}

/** Writes the types of the sources, with the import paths of the built files. */
async function emitTypes(source: string, target: string): Promise<void> {
  const compiler = fileURLToPath(import.meta.resolve('typescript/package.json')).replace('package.json', 'bin/tsc')
  const options = ['--project', `${source}/tsconfig.types.json`, '--outDir', `${target}/types`]
  await promisify(execFile)(process.execPath, [compiler, ...options]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout)
  })
  // Rewrite import paths in the types, because the compiler rewrites them only in JavaScript.
  for (const file of await readdir(`${target}/types`, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue
    const text = await readFile(`${target}/types/${file}`, 'utf8')
    await writeFile(`${target}/types/${file}`, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

/**
 * Returns the path of a module's built file. Puts modules of other packages in a folder that is named after their
 * package, because npm does not pack `node_modules`.
 */
function fileOf(module: string): string {
  return `${module.replace(/^.*node_modules\/([^/]+)\/(?:dist|src)\//, '$1/').replace(/^packages\/([^/]+)\/src\//, '$1/')}.js`
}

function libraryManifest({
  name,
  version,
  description,
  license,
  engines,
  exports = {},
}: Manifest): Record<string, unknown> {
  const entry = (file: string) => ({ types: `./types/${file}.d.ts`, default: `./${file}.js` })
  const entries = Object.entries(exports).map(([path, file]) => [path, entry(basename(file, '.ts'))])
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    engines,
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
  }
}
