import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

/** As long as a round may begin things, and longer, without letting anything else run. */
const block = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)

test('what has to wait is begun in a later round, in order, and as part of the request that it belongs to', async () => {
  const inTurn = createTurns()
  const request = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const begun = ['first', 'second', 'third'].map((name) =>
    request.run(name, () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      inTurn(() => {
        seen.push([name, request.getStore()])
        block()
        resolve()
      })
      return promise
    }),
  )
  expect(seen).toEqual([['first', 'first']])
  const round = new Promise<void>((resolve) => setImmediate(resolve))
  await round
  expect(seen.length).toBeLessThan(3)
  await Promise.all(begun)
  expect(seen).toEqual(['first', 'second', 'third'].map((name) => [name, name]))
})
