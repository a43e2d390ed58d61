import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { createRequestQueue } from './request-queue.ts'

/** Blocks the event loop for longer than one iteration can spend on starting requests. */
const block = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)

test('starts queued requests in later iterations, in order and in the async scope of each request', async () => {
  const enqueue = createRequestQueue()
  const request = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const started = ['first', 'second', 'third'].map((name) =>
    request.run(name, () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      enqueue('caller', () => {
        seen.push([name, request.getStore()])
        block()
        resolve()
      })
      return promise
    }),
  )
  expect(seen).toEqual([['first', 'first']])
  const iteration = new Promise<void>((resolve) => setImmediate(resolve))
  await iteration
  expect(seen.length).toBeLessThan(3)
  await Promise.all(started)
  expect(seen).toEqual(['first', 'second', 'third'].map((name) => [name, name]))
})

test('starts the requests of different callers in turn', async () => {
  const enqueue = createRequestQueue()
  const seen: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const add = (name: string) =>
    enqueue(name.slice(0, 1), () => {
      seen.push(name)
      block()
      if (seen.length === 7) resolve()
    })
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) add(name)
  await promise
  expect(seen).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})
