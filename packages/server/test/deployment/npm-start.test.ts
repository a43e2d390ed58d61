import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const root = new URL('../../../../', import.meta.url).pathname

/** Where the second start finds what the first has left. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-npm-start-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** `npm start` as an operator runs it; resolves once it says that it is ready. */
async function npmStart() {
  const env = { PATH: process.env.PATH, HOME: folder, MUSTER_DATA: folder, PORT: '0', MUSTER_MQTT_PORT: '0' }
  const npm = spawn('npm', ['start'], { cwd: root, env, detached: true })
  const exited = once(npm, 'close')
  onTestFinished(async () => {
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-npm.pid!, 'SIGINT')
    await exited
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk
      if (said.includes('is ready at')) resolve()
    }
    npm.stdout.on('data', hear)
    npm.stderr.on('data', hear)
    exited.then(() => reject(new Error(said)))
  })
  return { npm, exited }
}

// What npm is sent reaches a shell that npm runs, and must reach the server behind it; Ctrl-C goes to all of them at once.
test.each([
  ['SIGTERM sent to npm', (pid: number) => process.kill(pid, 'SIGTERM')],
  ['Ctrl-C', (pid: number) => process.kill(-pid, 'SIGINT')],
])('%s stops the server and its database', async (_how, stop) => {
  const { npm, exited } = await npmStart()
  expect(existsSync(join(folder, 'pg/postmaster.pid'))).toBe(true)
  stop(npm.pid!)
  await exited
  expect(existsSync(join(folder, 'pg/postmaster.pid'))).toBe(false)
})
