import { expect, it } from 'vitest'
import { create, jobOf, newFleet, setSite } from '../../../../test/api/bulk-jobs.ts'
import type { Json } from '../../../../test/factories/keys.ts'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp({ worker: true })

const itemsOf = async (user: TestUser, target: object): Promise<Json[]> => {
  const job = await create(user, target, [setSite('rome')])
  return (await jobOf(user, job.id)).items.items
}

it('rejects a row with a malformed ID', async () => {
  const [user] = await newFleet(app, 1)
  const csv = 'id,name\n80:00:00,gate 0\n'
  for (const registers of [false, true])
    expect(await itemsOf(user, { csv, register: registers })).toMatchObject([
      { outcome: 'REJECTED', code: 'BAD_USER_INPUT', message: expect.stringMatching(/^id must be a device ID/) },
    ])
})
