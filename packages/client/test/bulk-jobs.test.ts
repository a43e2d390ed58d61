import { expect, it } from 'vitest'
import { sharedTestApp } from '../../server/test/harness/app.ts'
import { type BulkProgress, Muster, NotFoundError } from '../src/index.ts'

const app = sharedTestApp({ worker: true })

it('yields the progress of a bulk job until it is ready, and then until it ends', async () => {
  const { keyId, secret } = await app.createUser()
  const muster = new Muster({ url: app.url, keyId, secret })
  const rows = Array.from({ length: 1_100 }, (_, index) => `d-${index},oslo`)
  const { id } = await muster.mutations.createBulk({
    target: { csv: `name,site\n${rows.join('\n')}\n`, register: true },
    operations: [],
    rate: 10_000,
  })
  const follow = async (): Promise<BulkProgress[]> => {
    const all: BulkProgress[] = []
    for await (const job of muster.followBulkJob(id, { interval: 20 })) all.push(job)
    return all
  }
  const ready = (await follow()).at(-1)!
  expect(ready).toMatchObject({ state: 'READY', counts: { total: 1_100, register: 1_100 } })
  await muster.mutations.startBulk({ id, token: ready.token! })
  const run = await follow()
  expect(run.at(-1)).toMatchObject({ state: 'DONE', progress: 1, counts: { done: 1_100, failed: 0 } })
  const shares = run.map(({ progress }) => progress)
  expect(shares).toEqual([...shares].sort((one, other) => one - other))
})

it('throws for a job that does not exist, and after an abort', async () => {
  const { keyId, secret } = await app.createUser()
  const muster = new Muster({ url: app.url, keyId, secret })
  await expect(muster.followBulkJob('bj_missing').next()).rejects.toThrow(NotFoundError)
  const signal = AbortSignal.abort(new Error('stopped'))
  await expect(muster.followBulkJob('bj_missing', { signal }).next()).rejects.toThrow('stopped')
})
