import { execFile } from 'node:child_process'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { buildCli } from '../../../../scripts/release/build-cli.ts'
import { buildLibrary } from '../../../../scripts/release/build-library.ts'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { credentialsOf, temporaryFolder } from '../harness/muster.ts'

const root = new URL('../../../../', import.meta.url).pathname
const run = promisify(execFile)

const app = sharedTestApp()

it('works from its tarball in an empty folder, with the client and without the server', async () => {
  const folder = await temporaryFolder()
  const modules = join(folder.path, 'node_modules')
  const builders = { client: (target: string) => buildLibrary('client', target), cli: buildCli }
  const built = Object.keys(builders).map((name) => join(folder.path, `dist-${name}`))
  await Promise.all(Object.values(builders).map((build, index) => build(built[index]!)))
  const packing = ['pack', ...built, '--json', '--pack-destination', folder.path, '--no-update-notifier']
  const packed = JSON.parse((await run('npm', packing)).stdout) as { name: string; filename: string }[]
  for (const { name, filename } of packed) {
    const installed = join(modules, name)
    await mkdir(installed, { recursive: true })
    await run('tar', ['-xzf', join(folder.path, filename), '-C', installed, '--strip-components=1'])
  }
  // Link the dependencies, so that the test does not require a registry.
  const manifest = await import(join(modules, '@muster/cli/package.json'), { with: { type: 'json' } })
  const needed = Object.keys(manifest.default.dependencies)
  expect(needed.filter((name) => name.startsWith('@muster/'))).toEqual(['@muster/client'])
  const foreign = needed.filter((name) => !name.startsWith('@muster/'))
  for (const name of foreign) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  expect((await readdir(join(modules, '@muster'))).sort()).toEqual(['cli', 'client'])

  const credentials = await folder.write('credentials', credentialsOf(app.url, await app.createUser()))
  const env = { PATH: process.env.PATH, HOME: folder.path, MUSTER_CREDENTIALS: credentials }
  const muster = (...args: string[]) =>
    run(process.execPath, [join(modules, '@muster/cli/packages/cli/bin/muster.js'), ...args], {
      cwd: folder.path,
      env,
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    )
  expect(await muster('devices', 'register', 'gate', '--service', 'ssh')).toMatchObject({
    code: 0,
    stderr: expect.any(String),
  })
  expect((await muster('attributes', 'set', 'gate', 'site=oslo')).stdout).toBe('site  oslo\n')
  expect((await muster('export')).stdout).toBe('name,hardwareId,platform,services,site\ngate,,,ssh:22,oslo\n')
  expect(await muster('query', '--check', '{ login { email } }')).toMatchObject({ code: 0 })
  expect(await muster('agent', 'check', '--help')).toMatchObject({ code: 0 })
  expect((await muster('agent', 'check')).stdout).toContain('hardware')
  const server = await muster('serve')
  expect(server).toMatchObject({ code: 1, stderr: expect.stringContaining('requires the server') })
  expect(server.stderr).not.toContain('at ')
})
