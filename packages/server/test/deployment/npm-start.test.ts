import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createDataFolder } from '../database/data-folder.ts'

const root = new URL('../../../../', import.meta.url).pathname

/** The data folder that all tests of this file share. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-npm-start-'))
  await createDataFolder(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/**
 * Runs `npm start`, and stops the process at the end of the test. Resolves when the server is ready. Rejects if npm
 * exits earlier.
 */
async function npmStart() {
  const env = { PATH: process.env.PATH, HOME: folder, MUSTER_DATA: folder, PORT: '0', MUSTER_MQTT_PORT: '0' }
  const npm = spawn('npm', ['start'], { cwd: root, env, detached: true })
  const exited = once(npm, 'close')
  onTestFinished(async () => {
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-npm.pid!, 'SIGINT')
    await exited
  })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const onOutput = (chunk: Buffer): void => {
      output += chunk
      if (output.includes('is ready at')) resolve()
    }
    npm.stdout.on('data', onOutput)
    npm.stderr.on('data', onOutput)
    exited.then(() => reject(new Error(`npm exited before the server was ready: ${output}`)))
  })
  return { npm, exited }
}

// npm forwards signals to a shell, which must forward them to the server. A terminal sends Ctrl-C to all three
// processes.
test.each([
  ['SIGTERM sent to npm', (pid: number) => process.kill(pid, 'SIGTERM')],
  ['Ctrl-C', (pid: number) => process.kill(-pid, 'SIGINT')],
])('stops the server and its database after %s', async (_how, stop) => {
  const { npm, exited } = await npmStart()
  expect(existsSync(join(folder, 'pg/postmaster.pid'))).toBe(true)
  stop(npm.pid!)
  await exited
  expect(existsSync(join(folder, 'pg/postmaster.pid'))).toBe(false)
})

test('caches compiled code in the data folder', async () => {
  const { npm, exited } = await npmStart()
  process.kill(npm.pid!, 'SIGTERM')
  await exited
  expect(readdirSync(join(folder, 'compiled'))).toHaveLength(1)
})
