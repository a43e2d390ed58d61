import { expect, it } from 'vitest'
import { create, jobOf, newFleet, setSite } from '../../../../test/api/bulk-jobs.ts'
import type { Json } from '../../../../test/factories/keys.ts'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp({ worker: true })

const unknownId = '80:00:00:00:00:00:00:01'

const itemsOf = async (user: TestUser, target: object): Promise<Json[]> => {
  const job = await create(user, target, [setSite('rome')])
  return (await jobOf(user, job.id)).items.items
}

it('without register: true, rejects a row with an unknown ID, even if its name or hardware ID is in use', async () => {
  const [user, [id]] = await newFleet(app, 1)
  await user.data(`mutation { updateDevice(deviceId: "${id}", hardwareId: "H-1") { id } }`)
  const csv = `id,hardwareId,name\n${unknownId},,gate 0\n${unknownId},H-1,\n`
  const missing = { outcome: 'REJECTED', code: 'NOT_FOUND', message: `there is no device "${unknownId}"` }
  expect(await itemsOf(user, { csv })).toMatchObject([missing, missing])
  expect(await itemsOf(user, { csv: `id,name\n${id!.toUpperCase()},gate 1\n` })).toMatchObject([
    { device: { id }, outcome: 'CHANGE' },
  ])
})

it('with register: true, ignores an unknown ID', async () => {
  const [user, [id]] = await newFleet(app, 1)
  const csv = `id,name\n${unknownId},gate 0\n80:00:00:00:00:00:00:02,new\n`
  expect(await itemsOf(user, { csv, register: true })).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ device: { id, name: 'gate 0' }, outcome: 'CHANGE' }),
      expect.objectContaining({ device: { id: expect.any(String), name: 'new' }, outcome: 'REGISTER' }),
    ]),
  )
})

it('rejects a row with a malformed ID', async () => {
  const [user] = await newFleet(app, 1)
  const csv = 'id,name\n80:00:00,gate 0\n'
  for (const registers of [false, true])
    expect(await itemsOf(user, { csv, register: registers })).toMatchObject([
      { outcome: 'REJECTED', code: 'BAD_USER_INPUT', message: expect.stringMatching(/^id must be a device ID/) },
    ])
})
