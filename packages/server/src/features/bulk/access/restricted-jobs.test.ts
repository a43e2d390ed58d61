import { beforeEach, describe, expect, it } from 'vitest'
import {
  call,
  create as createJob,
  createText,
  jobOf,
  newLargeFleet,
  register,
  run,
  set,
  setSite,
  start,
  until,
  valuesOf,
} from '../../../../test/api/bulk-jobs.ts'
import { forbiddenAttribute, newUserWithHiddenValues } from '../../../../test/factories/hidden-values.ts'
import { failure, type Json, keyOf, sendAsUser } from '../../../../test/factories/keys.ts'
import { newMember } from '../../../../test/factories/member.ts'
import { ask, done } from '../../../../test/factories/team.ts'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'

const app = sharedTestApp({ worker: true })

let user: TestUser
/** A key that is restricted to the devices in Oslo. */
let oslo: TestUser
let inside: string[]
let outside: string
beforeEach(async () => {
  user = await app.createUser()
  inside = []
  for (const name of ['gate 0', 'gate 1']) inside.push(await register(user, name, { site: 'oslo', rack: name }))
  outside = await register(user, 'hidden', { site: 'bergen', rack: 'hidden' })
  oslo = await keyWith('{ where: "site = oslo" }')
})

const keyWith = (access: string): Promise<TestUser> => keyOf(app, sendAsUser(user), `access: ${access}`)
const setRack = (rack: string | null) => ({ setAttributes: { attributes: { rack } } })
const everyDevice = { where: 'id:*' }

const idsOf = (job: Json): string[] => job.items.items.map(({ device }: Json) => device.id)
const racks = async (): Promise<string[]> => (await valuesOf(user)).map(({ rack }: { rack: string }) => rack).sort()

const readReport = async (caller: TestUser, id: string): Promise<string> => {
  const { login } = await caller.data(`{ login { bulkJob(id: "${id}") { reportUrl } } }`)
  return (await fetch(login.bulkJob[0].reportUrl)).text()
}

const listItems = async (caller: TestUser, id: string): Promise<Json[]> =>
  (await jobOf(caller, id)).items.items.map(({ device, outcome, code }: Json) => ({ device, outcome, code }))

const rejection = async (caller: TestUser, operations: object[], target: object = everyDevice): Promise<Json> =>
  failure(await caller.query(createText, { target, operations }))

describe('a bulk job of a caller who is restricted to some devices', () => {
  it('previews and changes only devices inside the restriction', async () => {
    const job = await createJob(oslo, everyDevice, [setRack('new {name}')])
    expect(job.counts).toMatchObject({ total: 2, change: 2 })
    expect(idsOf(await jobOf(oslo, job.id))).toEqual([...inside].sort())
    expect((await run(oslo, job)).counts).toMatchObject({ done: 2 })
    expect(await racks()).toEqual(['hidden', 'new gate 0', 'new gate 1'])
    expect(await readReport(oslo, job.id)).toContain(inside[0])
    const undo = await call(oslo, 'undo', job.id)
    expect((await run(oslo, undo)).counts).toMatchObject({ total: 2, done: 2 })
    expect(await racks()).toEqual(['gate 0', 'gate 1', 'hidden'])
  })

  it('rejects devices and rows outside the restriction as if they did not exist', async () => {
    const ids = [...inside, outside, '80:00:00:00:00:00:00:01']
    const byId = await jobOf(oslo, (await createJob(oslo, { ids }, [setRack('new')])).id)
    const unknown = { outcome: 'REJECTED', code: 'NOT_FOUND', changes: {} }
    expect(byId.items.items.filter(({ outcome }: Json) => outcome !== 'CHANGE')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ device: { id: outside, name: '' }, ...unknown }),
        expect.objectContaining({ device: { id: ids[3], name: '' }, ...unknown }),
      ]),
    )
    const csv = `name,rack\ngate 0,7\nhidden,7\n`
    const byName = await createJob(oslo, { csv }, [])
    expect(byName.counts).toMatchObject({ change: 1, rejected: 1 })
    expect((await run(oslo, byName)).counts).toMatchObject({ done: 1, failed: 1 })
    expect(await racks()).toEqual(['7', 'gate 1', 'hidden'])
  })

  it('ignores devices outside the restriction when it finds the devices of rows', async () => {
    await register(user, 'gate 0', { site: 'bergen' })
    await user.data(`mutation { updateDevice(deviceId: "${outside}", hardwareId: "H-1") { id } }`)
    const csv = `id,hardwareId,name,rack\n${outside},,,7\n,H-1,,7\n,,hidden,7\n,,gate 0,7\n`
    const job = await createJob(oslo, { csv }, [])
    const [first, ...rejected] = await listItems(oslo, job.id)
    expect(first).toMatchObject({ device: { id: inside[0], name: 'gate 0' }, outcome: 'CHANGE' })
    expect(rejected).toEqual([
      { device: { id: 'line 2', name: '' }, outcome: 'REJECTED', code: 'NOT_FOUND' },
      { device: { id: 'line 3', name: '' }, outcome: 'REJECTED', code: 'NOT_FOUND' },
      { device: { id: 'line 4', name: 'hidden' }, outcome: 'REJECTED', code: 'NOT_FOUND' },
    ])
    await run(oslo, job)
    const retry = await call(oslo, 'retry', job.id)
    expect(await listItems(oslo, retry.id)).toEqual(rejected)
  })

  it('registers devices with names, but not with hardware IDs, of devices outside the restriction', async () => {
    await user.data(`mutation { updateDevice(deviceId: "${outside}", hardwareId: "H-1") { id } }`)
    const csv = 'name,hardwareId,site\nhidden,,oslo\nnew,H-1,oslo\n'
    const job = await createJob(oslo, { csv, register: true }, [])
    const items = (await listItems(oslo, job.id)).map(({ device, ...item }: Json) => ({ name: device.name, ...item }))
    expect(items).toEqual(
      expect.arrayContaining([
        { name: 'hidden', outcome: 'REGISTER', code: null },
        { name: 'new', outcome: 'REJECTED', code: 'CONFLICT' },
      ]),
    )
    expect((await run(oslo, job)).counts).toMatchObject({ done: 1, failed: 1 })
    const single =
      'mutation { registerDevice(name: "new", hardwareId: "H-1", attributes: { site: "oslo" }) { device { id } } }'
    expect(failure(await oslo.query(single))).toEqual({ code: 'CONFLICT' })
  })

  it('registers only devices inside the restriction', async () => {
    const csv = 'name,site,rack\nnew,oslo,1\nfar,bergen,1\n'
    const job = await createJob(oslo, { csv, register: true }, [])
    const items = (await jobOf(oslo, job.id)).items.items
    expect(items.map(({ device, outcome, code }: Json) => [device.name, outcome, code]).sort()).toEqual([
      ['far', 'REJECTED', 'FORBIDDEN'],
      ['new', 'REGISTER', null],
    ])
    await run(oslo, job)
    expect(
      (await user.data('{ login { devices(where: "rack = 1") { items { name } } } }')).login.devices.items,
    ).toEqual([{ name: 'new' }])
  })

  it('skips a new device whose name was taken inside the restriction, but not one whose name was taken outside', async () => {
    const job = await createJob(oslo, { csv: 'name,site\nlate,oslo\ngate 2,oslo\n', register: true }, [])
    await register(user, 'late', { site: 'bergen' })
    await register(user, 'gate 2', { site: 'oslo' })
    expect((await run(oslo, job)).counts).toMatchObject({ done: 1, skipped: 1 })
    const items: Json[] = (await jobOf(oslo, job.id)).items.items
    expect(items.map(({ device, status }) => [device.name, status]).sort()).toEqual([
      ['gate 2', 'SKIPPED'],
      ['late', 'DONE'],
    ])
  })

  it('skips devices that have left the restriction, and hides their values', async () => {
    const job = await createJob(oslo, everyDevice, [setRack('new')])
    await set(user, inside[0]!, { site: 'bergen' })
    const left = (await run(oslo, job)).items.items.find(({ device }: Json) => device.id === inside[0])
    expect(left).toMatchObject({ device: { name: '' }, status: 'SKIPPED', reason: 'GONE', changes: {} })
    expect(await racks()).toEqual(['gate 0', 'hidden', 'new'])
    await set(user, inside[1]!, { site: 'bergen' })
    expect(idsOf(await jobOf(oslo, job.id))).toEqual([inside[0]])
    const report = await readReport(oslo, job.id)
    for (const text of ['gate', inside[1]]) expect(report).not.toContain(text)
    expect(idsOf(await jobOf(user, job.id))).toHaveLength(2)
  })

  it('cannot change attributes, names, or services that the restriction reads', async () => {
    const forbidden = { code: 'FORBIDDEN', reason: 'device' }
    expect(await rejection(oslo, [setSite('bergen')])).toEqual(forbidden)
    expect(await rejection(oslo, [setSite('bergen', 'night')])).toEqual(forbidden)
    const byName = await keyWith('{ where: "gate" }')
    expect(await rejection(byName, [{ update: { name: 'x' } }])).toEqual(forbidden)
    const byPort = await keyWith('{ where: "NOT services.port = 22" }')
    expect(await rejection(byPort, [{ addService: { name: 'web', port: 80 } }])).toEqual(forbidden)
    const csv = `name,site\ngate 0,bergen\ngate 1,oslo\n`
    const { counts, id } = await createJob(oslo, { csv }, [])
    expect(counts).toMatchObject({ change: 0, unchanged: 1, rejected: 1 })
    expect((await jobOf(oslo, id)).items.items.map(({ code }: Json) => code).sort()).toEqual(['FORBIDDEN', null])
  })

  it('is visible only to its creator and to callers without a restriction', async () => {
    const ofOslo = await createJob(oslo, everyDevice, [setRack('x')])
    const ofUser = await createJob(user, everyDevice, [setRack('x')])
    const other = await keyWith('{ where: "site = oslo" }')
    const list = async (caller: TestUser): Promise<string[]> => {
      const { bulkJobs } = (await caller.data('{ login { bulkJobs { total items { id } } } }')).login
      expect(bulkJobs.total).toBe(bulkJobs.items.length)
      return bulkJobs.items.map(({ id }: Json) => id)
    }
    expect(await list(user)).toEqual([ofUser.id, ofOslo.id])
    expect(await list(oslo)).toEqual([ofOslo.id])
    expect(await list(other)).toEqual([])
    expect(await jobOf(oslo, ofUser.id)).toBeUndefined()
    for (const [verb, more] of [
      ...[['preview'], ['cancel'], ['pause'], ['retry'], ['undo']],
      ['start', `, token: "${ofUser.token}"`],
    ])
      expect(failure(await oslo.query(`mutation { ${verb}Bulk(id: "${ofUser.id}"${more ?? ''}) { id } }`))).toEqual({
        code: 'NOT_FOUND',
      })
    expect((await run(user, ofOslo)).counts).toMatchObject({ done: 2 })
    expect((await call(user, 'undo', ofOslo.id)).counts).toMatchObject({ change: 2 })
    expect((await jobOf(oslo, ofOslo.id)).undoneBy).toBeNull()
  })

  it('hides devices outside the restriction, even after an unrestricted caller previews the job', async () => {
    const job = await createJob(oslo, everyDevice, [setRack('x')])
    expect((await call(user, 'preview', job.id)).counts).toMatchObject({ total: 3 })
    expect(await jobOf(oslo, job.id)).toMatchObject({ items: { total: 2 } })
    expect(idsOf(await jobOf(oslo, job.id))).toEqual([...inside].sort())
    expect((await run(user, { ...job, token: (await jobOf(user, job.id)).token })).counts).toMatchObject({ done: 3 })
    expect(idsOf(await jobOf(oslo, job.id))).toEqual([...inside].sort())
    expect((await call(oslo, 'undo', job.id)).counts).toMatchObject({ total: 2 })
  })

  it('is previewed in the background, and applies a new restriction when the role changes during the run', async () => {
    user = await newLargeFleet(app, 1500)
    const owner = await newMember(app, user.accountId, 'owner')
    const { createRole } = await done(
      owner,
      `mutation { createRole(name: "narrow", access: { permissions: [DEVICE_READ, ATTRIBUTE_WRITE], where: "name:node" }) { id } }`,
    )
    const member = await newMember(app, user.accountId, createRole.id)
    const { createBulk: job } = await done(member, createText, {
      target: everyDevice,
      operations: [setRack('x')],
      // The rate is low, so that the role changes before the job is done.
      rate: 10,
    })
    expect(job).toMatchObject({ state: 'PREVIEWING' })
    const ready = await until(user, job.id, 'READY')
    expect(ready.counts).toMatchObject({ total: 1500, change: 1500 })
    await start({ ...user, data: (document) => done(member, document) }, ready)
    await expect.poll(async () => (await jobOf(user, job.id)).counts.done).toBeGreaterThan(0)
    await done(
      owner,
      `mutation { updateRole(id: "${createRole.id}", access: { permissions: [DEVICE_READ, ATTRIBUTE_WRITE], where: "NOT name:node" }) { id } }`,
    )
    await call(user, 'resume', job.id, ', rate: 10000')
    const { counts } = await until(user, job.id, 'DONE')
    expect(counts.done + counts.skipped).toBe(1500)
    expect(counts.done).toBeLessThan(1500)
    expect(
      (await ask(member, `{ login { bulkJob(id: "${job.id}") { items(status: [DONE]) { total } } } }`)).data.login,
    ).toEqual({ bulkJob: [{ items: { total: 0 } }] })
  })
})

describe('a bulk job of a caller who is restricted to some attributes', () => {
  it('can read or set an attribute only if the caller can', async () => {
    const { createReader, user: owner, device } = await newUserWithHiddenValues(app)
    const key = await createReader()
    const write = (attributes: object, more: object = {}) => ({ setAttributes: { attributes, ...more } })
    for (const operation of [
      write({ site: 'x' }),
      write({ secret: null }),
      write({ net: null }),
      write({ status: { fan: '{secret}' } }),
      { update: { name: 'x {net.ssid}' } },
      write({ status: { fan: 'x' } }, { services: 'secret = hidden' }),
      { removeService: { where: 'secret = hidden' } },
    ])
      expect(await rejection(key, [operation]), JSON.stringify(operation)).toEqual(forbiddenAttribute)
    expect(await rejection(key, [write({ status: { fan: 'x' } })], { where: 'secret = hidden' })).toEqual(
      forbiddenAttribute,
    )
    expect(await rejection(key, [], { csv: `id,attributes.secret\n${device},x\n` })).toEqual(forbiddenAttribute)
    const byAny = await createJob(key, { where: 'any(hidden)' }, [write({ status: { fan: 'x' } })])
    expect(byAny.counts).toMatchObject({ total: 0 })
    const job = await createJob(key, { where: 'any(oslo)' }, [write({ status: { fan: '{site}' } })])
    expect((await run(key, job)).items.items).toMatchObject([{ status: 'DONE' }])
    expect((await valuesOf(owner))[0]).toMatchObject({ status: { fan: 'oslo' } })
  })

  it('hides values that the caller cannot read', async () => {
    const { createReader, user: owner } = await newUserWithHiddenValues(app)
    const key = await createReader()
    const job = await createJob(key, everyDevice, [{ removeService: { where: 'name = ssh' } }])
    const { items } = await jobOf(key, job.id)
    expect(items.items[0].changes.removeService).toMatchObject([{ name: 'ssh', attributes: { site: 'oslo' } }])
    const hidden = /hidden-secret|"hidden"/
    expect(JSON.stringify(items)).not.toMatch(hidden)
    await run(key, job)
    expect(await readReport(key, job.id)).not.toMatch(hidden)
    expect(await readReport(owner, job.id)).toMatch(hidden)
    // The service had an attribute that the key cannot set.
    const undo = await jobOf(key, (await call(key, 'undo', job.id)).id)
    expect(undo.items.items).toMatchObject([{ outcome: 'REJECTED', code: 'FORBIDDEN' }])
    await call(key, 'cancel', undo.id)
    expect((await run(owner, await call(owner, 'undo', job.id))).counts).toMatchObject({ done: 1 })
  })
})
