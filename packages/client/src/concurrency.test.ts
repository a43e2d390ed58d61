import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { forEachConcurrently } from './index.ts'

describe('forEachConcurrently', () => {
  it('processes each item once within the concurrency limit', async () => {
    let now = 0
    let most = 0
    const done: number[] = []
    const work = async (item: number): Promise<void> => {
      most = Math.max(most, ++now)
      await sleep(1)
      now--
      done.push(item)
    }
    const items = Array.from({ length: 50 }, (_, item) => item)
    await forEachConcurrently(items, work, { concurrency: 3 })
    expect(done.toSorted((a, b) => a - b)).toEqual(items)
    expect(most).toBe(3)
  })

  it('rejects with the first failure after items in progress finish, and closes the iterator', async () => {
    const events: string[] = []
    async function* endless() {
      try {
        for (let item = 0; ; item++) yield item
      } finally {
        events.push('closed')
      }
    }
    const work = async (item: number): Promise<void> => {
      await sleep(item * 5)
      events.push(`did ${item}`)
      if (item === 0) throw new Error('refused')
    }
    await expect(forEachConcurrently(endless(), work, { concurrency: 2 })).rejects.toThrow('refused')
    expect(events).toEqual(['did 0', 'did 1', 'closed'])
  })

  it('starts no further items after an abort', async () => {
    const stop = new AbortController()
    const done: number[] = []
    const work = (item: number): void => {
      done.push(item)
      if (item === 2) stop.abort(new Error('enough'))
    }
    await expect(forEachConcurrently([1, 2, 3, 4], work, { concurrency: 1, signal: stop.signal })).rejects.toThrow(
      'enough',
    )
    expect(done).toEqual([1, 2])
  })

  it('rejects with the failure of the iterator', async () => {
    async function* failing() {
      yield 1
      throw new Error('no more')
    }
    await expect(forEachConcurrently(failing(), () => {})).rejects.toThrow('no more')
  })

  it.each([0, 1.5, Number.NaN])('rejects a concurrency of %s', async (concurrency) => {
    await expect(forEachConcurrently([], () => {}, { concurrency })).rejects.toThrow(TypeError)
  })
})
