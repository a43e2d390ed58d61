import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import fastify, { type FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { acceptConnections } from './listening-sockets.ts'

const host = '127.0.0.1'
const CONNECTIONS = 160

async function start({ port = 0, hold = Promise.resolve() } = {}): Promise<{ app: FastifyInstance; port: number }> {
  const app = fastify()
  app.get('/', async () => {
    await hold
    return 'done'
  })
  onTestFinished(() => app.close())
  await acceptConnections(app, { host, port })
  return { app, port: (app.server.address() as AddressInfo).port }
}

/**
 * Runs in a worker thread. Opens the connections while the test's thread is blocked, so that they all wait in the queues
 * of new connections.
 */
const OPEN = `
const { connect } = require('node:net')
const { port, host, connections, opened } = require('node:worker_threads').workerData
for (let each = 0; each < connections; each++)
  connect(port, host, () => {
    if (Atomics.add(opened, 0, 1) === connections - 1) Atomics.notify(opened, 0)
  })
`

test('accepts several connections in one iteration of the event loop on Linux', async () => {
  const { app, port } = await start()
  let accepted = 0
  app.server.on('connection', () => accepted++)
  const opened = new Int32Array(new SharedArrayBuffer(4))
  const client = new Worker(OPEN, { eval: true, workerData: { port, host, connections: CONNECTIONS, opened } })
  onTestFinished(() => void client.terminate())
  while (Atomics.load(opened, 0) < CONNECTIONS) Atomics.wait(opened, 0, Atomics.load(opened, 0), 50)
  let iterations = 0
  for (; accepted < CONNECTIONS; iterations++) await nextIteration()
  expect(iterations).toBeLessThan(process.platform === 'linux' ? CONNECTIONS / 2 : CONNECTIONS * 2)
})

test('does not share a port with another server', async () => {
  const { port } = await start()
  await expect(start({ port })).rejects.toThrow('EADDRINUSE')
})

test('sends the responses of all connections before it closes', async () => {
  const { promise: hold, resolve: release } = Promise.withResolvers<void>()
  const { app, port } = await start({ hold })
  let arrived = 0
  app.server.on('request', () => arrived++)
  const responses = Array.from({ length: 40 }, () =>
    fetch(`http://${host}:${port}`, { headers: { connection: 'close' } }),
  )
  while (arrived < responses.length) await nextIteration()
  const closed = app.close()
  const stopped = once(app.server, 'close')
  release()
  const bodies = await Promise.all(responses.map(async (response) => (await response).text()))
  expect(bodies).toEqual(responses.map(() => 'done'))
  await Promise.all([closed, stopped])
  await expect(fetch(`http://${host}:${port}`)).rejects.toThrow('fetch failed')
})
