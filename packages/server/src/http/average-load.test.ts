import fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { createRequestLoad } from './average-load.ts'

it('reports high load while many requests stay in flight, until they end or are aborted', async () => {
  let now = 0
  const load = createRequestLoad(() => now)
  const app = fastify()
  load.count(app, ({ routeOptions }) => routeOptions.url === '/stream')
  const released = Promise.withResolvers<void>()
  let arrived = 0
  const wait = (): Promise<void> => {
    arrived++
    return released.promise
  }
  app.get('/slow', wait)
  app.get('/stream', wait)
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const url = app.listeningOrigin

  const aborted = new AbortController()
  const ask = (path: string, signal?: AbortSignal) =>
    Array.from({ length: 40 }, () => fetch(url + path, signal ? { signal } : {}).catch(() => undefined))
  const streams = ask('/stream')
  await expect.poll(() => arrived).toBe(40)
  now += 60_000
  expect(load.isHigh()).toBe(false)

  const waiting = [...ask('/slow'), ...ask('/slow', aborted.signal)]
  await expect.poll(() => arrived).toBe(120)
  now += 100
  expect(load.isHigh()).toBe(false)
  now += 1_000
  expect(load.isHigh()).toBe(true)

  aborted.abort()
  released.resolve()
  await Promise.all([...waiting, ...streams])
  const isHighLater = (): boolean => {
    now += 1_000
    return load.isHigh()
  }
  await expect.poll(isHighLater).toBe(false)
})
