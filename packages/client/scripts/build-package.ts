import { execFile } from 'node:child_process'
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Builds the published package in a separate folder. The repository uses the sources directly, so its package.json differs
 * from the package.json of the published package.
 */
export async function buildPackage(dist: string): Promise<void> {
  await rm(dist, { recursive: true, force: true })
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: dist,
      target: 'es2022',
      minify: false,
      lib: { entry: { index: `${root}src/index.ts`, node: `${root}src/node.ts` }, formats: ['es'] },
      emptyOutDir: false,
      // Write one module per source file, so that bundlers can drop unused code.
      rolldownOptions: {
        external: [/^node:/],
        output: {
          preserveModules: true,
          preserveModulesRoot: `${root}src`,
          entryFileNames: ({ name }) => fileOf(name),
        },
      },
    },
  })
  await emitTypes(dist)
  await copyFile(`${root}README.md`, `${dist}/README.md`)
  await copyFile(licenseOf('structured-headers'), `${dist}/LICENSE-structured-headers`)
  await writeFile(`${dist}/package.json`, `${JSON.stringify(await manifest(), null, 2)}\n`)
}

/** Writes the types of the sources, with the import paths of the built files. */
async function emitTypes(dist: string): Promise<void> {
  const compiler = fileURLToPath(import.meta.resolve('typescript/package.json')).replace('package.json', 'bin/tsc')
  const options = ['--project', `${root}tsconfig.types.json`, '--outDir', `${dist}/types`]
  await promisify(execFile)(process.execPath, [compiler, ...options]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout)
  })
  // The compiler rewrites import paths only in JavaScript.
  for (const file of await readdir(`${dist}/types`, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue
    const text = await readFile(`${dist}/types/${file}`, 'utf8')
    await writeFile(`${dist}/types/${file}`, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

/**
 * Returns a module's file name. Modules of other packages are in a folder named after the package, because npm does not pack
 * node_modules.
 */
function fileOf(module: string): string {
  return `${module.replace(/^.*node_modules\/([^/]+)\/(?:dist|src)\//, '$1/').replace(/^packages\/([^/]+)\/src\//, '$1/')}.js`
}

/** Returns the path of a bundled package's license. */
function licenseOf(name: string): string {
  return fileURLToPath(new URL('../LICENSE', import.meta.resolve(name)))
}

async function manifest(): Promise<Record<string, unknown>> {
  const { name, version, description, license, engines } = JSON.parse(await readFile(`${root}package.json`, 'utf8'))
  const entry = (file: string) => ({ types: `./types/${file}.d.ts`, default: `./${file}.js` })
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    engines,
    exports: { '.': entry('index'), './node': entry('node'), './package.json': './package.json' },
  }
}
