import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { createRequestLoad } from './load.ts'

it('is high once many requests have been waiting for some time, and no longer when they are gone, however they went', async () => {
  const load = createRequestLoad()
  const app = fastify()
  load.count(app, (path) => path === '/stream')
  const answer = Promise.withResolvers<void>()
  app.get('/slow', async () => answer.promise)
  app.get('/stream', async () => answer.promise)
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const url = app.listeningOrigin

  const giveUp = new AbortController()
  const ask = (path: string, signal?: AbortSignal) =>
    Array.from({ length: 40 }, () => fetch(url + path, signal ? { signal } : {}).catch(() => undefined))
  const streams = ask('/stream')
  await sleep(1_500)
  expect(load.isHigh()).toBe(false)

  const waiting = [...ask('/slow'), ...ask('/slow', giveUp.signal)]
  await sleep(100)
  expect(load.isHigh()).toBe(false)
  while (!load.isHigh()) await sleep(50)
  giveUp.abort()
  answer.resolve()
  await Promise.all([...waiting, ...streams])
  while (load.isHigh()) await sleep(50)
})
