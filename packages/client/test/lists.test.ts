import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDataFolder } from '../../server/test/database/data-folder.ts'
import { seedDevices } from '../../server/test/factories/seed-devices.ts'
import { sharedTestApp } from '../../server/test/harness/app.ts'
import { claimPorts } from '../../server/test/harness/ports.ts'
import { startServerProcess } from '../../server/test/harness/server-process.ts'
import { NotFoundError } from '../src/index.ts'
import { Muster } from '../src/node.ts'
import { startFakeServer } from './fake-server.ts'
import { createProject } from './project.ts'

// The webhooks in these tests have hosts that do not exist. The resolver rejects the hosts without a DNS query.
const app = sharedTestApp({ resolve: () => Promise.reject(new Error('no such name')) })

async function fleet(count: number): Promise<{ muster: Muster; ids: string[] }> {
  const { accountId, keyId, secret } = await app.createUser()
  const devices = Array.from({ length: count }, (_, number) => ({ name: `device ${number}` }))
  const ids = await seedDevices(app.db, accountId, devices)
  return { muster: new Muster({ url: app.url, keyId, secret }), ids: ids.sort() }
}

describe('devices', () => {
  it('lists each device once, even if devices are added, removed, and renamed during the loop', async () => {
    const { muster, ids } = await fleet(3_000)
    const seen: string[] = []
    for await (const { items } of muster.devices({ size: 500, select: { id: true } }).pages()) {
      seen.push(...items.map(({ id }) => id))
      await muster.mutations.registerDevice({ name: 'new' })
      await muster.mutations.updateDevice({ deviceId: seen[0]!, name: `zz ${seen.length}` })
      await muster.mutations.updateDevice({ deviceId: ids.at(-1)!, name: `aa ${seen.length}` })
      // Remove the device at the cursor, except on the last page.
      if (seen.length < 3_000) await muster.mutations.deleteDevice({ deviceId: seen.at(-1)! })
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(ids.filter((id) => !seen.includes(id))).toEqual([])
  })

  it('lists devices with selected fields, in a given order, and from a cursor', async () => {
    const { muster } = await fleet(25)
    const list = muster.devices({ name: 'DEVICE 1', sort: 'name desc', size: 4, select: { name: true } })
    expect(await list.total()).toBe(11)
    const names = (await list.toArray()).map(({ name }) => name)
    expect(names).toEqual([...Array.from({ length: 10 }, (_, number) => `device ${19 - number}`), 'device 1'])
    expect(await list.first()).toEqual({ name: 'device 19' })
    const { value: page } = await list.pages().next()
    const rest = muster.devices({ name: 'DEVICE 1', sort: 'name desc', after: page!.cursor!, select: { name: true } })
    expect((await rest.toArray()).map(({ name }) => name)).toEqual(names.slice(4))
    expect(await muster.devices({ name: 'none' }).first()).toBeUndefined()
    expect(await muster.devices({ name: 'none' }).toArray()).toEqual([])
  })

  it('requests no more pages of devices after an abort', async () => {
    const { muster } = await fleet(10)
    const stop = new AbortController()
    const seen: string[] = []
    const loop = async (): Promise<void> => {
      for await (const { id } of muster.devices({ size: 2, signal: stop.signal, select: { id: true } })) {
        seen.push(id)
        if (seen.length === 3) stop.abort(new Error('enough'))
      }
    }
    await expect(loop()).rejects.toThrow('enough')
    expect(seen).toHaveLength(4)
  })

  it('lists each device once if the server restarts during the loop', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-client-restart-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await createDataFolder(folder)
    const [port] = await claimPorts(1)
    const env = { MUSTER_DATA: folder, PORT: String(port) }
    const first = await startServerProcess(env)
    // Allow many retries, because a restart can take long on a slow machine.
    const muster = await Muster.fromCredentials({ file: join(folder, 'credentials'), env: {}, retries: 60 })
    for (let batch = 0; batch < 20; batch++) {
      const names = Array.from({ length: 15 }, (_, number) => `device ${batch} ${number}`)
      const fields = names.map((name, number) => `d${number}: registerDevice(name: "${name}") { secret }`)
      await muster.query(`mutation { ${fields.join(' ')} }`)
    }
    const seen: string[] = []
    let restarted: Promise<unknown> | undefined
    for await (const { id } of muster.devices({ size: 50, select: { id: true } })) {
      seen.push(id)
      if (seen.length !== 120) continue
      await first.stop('SIGKILL')
      restarted = startServerProcess(env)
    }
    await restarted
    expect(seen).toHaveLength(300)
    expect(new Set(seen).size).toBe(300)
    expect(await muster.devices().total()).toBe(300)
  })

  it('lists more devices than fit in memory', async () => {
    const { accountId, keyId, secret } = await app.createUser()
    const long = { attributes: { note: 'x'.repeat(4_000) } }
    for (let batch = 0; batch < 15; batch++) await seedDevices(app.db, accountId, Array(1_000).fill(long))
    const project = await createProject({ linked: true })
    onTestFinished(project.remove)
    const program = `import { Muster } from '@muster/client/node'
      const muster = await Muster.fromCredentials()
      let count = 0
      for await (const { id, attributes } of muster.devices()) count += id && attributes.note ? 1 : 0
      console.log(count)`
    // Limit the memory to 48 MB, because all devices together would require 60 MB.
    const ran = await project.run(
      process.execPath,
      ['--max-old-space-size=48', await project.write('all.ts', program)],
      {
        MUSTER_URL: app.url,
        MUSTER_ACCESS_KEY_ID: keyId,
        MUSTER_SECRET_ACCESS_KEY: secret,
      },
    )
    expect(ran.stdout).toBe('15000\n')
  })
})

describe('other lists', () => {
  it('lists the services of all or specific devices', async () => {
    const { muster } = await fleet(0)
    const services = [
      { name: 'shell', port: 22 },
      { name: 'web', port: 443 },
    ]
    const ids: string[] = []
    for (let number = 0; number < 5; number++)
      ids.push((await muster.mutations.registerDevice({ name: `d${number}`, services })).device.id)
    await muster.mutations.registerDevice({ name: 'bare' })
    const list = muster.services({ size: 2, select: { name: true, device: { id: true } } })
    const found = await list.toArray()
    expect(found).toHaveLength(10)
    expect(new Set(found.map(({ device }) => device.id))).toEqual(new Set(ids))
    expect(await list.total()).toBe(10)
    for await (const { cursor } of list.pages())
      if (cursor !== null) expect(await muster.services({ after: cursor }).total()).toBe(10)
    expect(await muster.services({ name: 'web' }).total()).toBe(5)
    expect(await muster.services({ deviceId: ids[3]! }).toArray()).toMatchObject([{ name: 'shell' }, { name: 'web' }])
    expect(await muster.services({ application: [found.length] }).toArray()).toEqual([])
    expect(await muster.services({ name: 'web' }).first()).toMatchObject({ name: 'web', title: 'HTTPS' })
  })

  it('lists past events, newest first', async () => {
    const { muster } = await fleet(0)
    for (let number = 0; number < 5; number++) await muster.mutations.registerDevice({ name: `d${number}` })
    const list = muster.pastEvents({ types: ['DEVICE_REGISTER'], size: 2 })
    const events = await list.toArray()
    expect(events.map(({ target }) => target[0]?.name)).toEqual(['d4', 'd3', 'd2', 'd1', 'd0'])
    expect(await list.total()).toBe(5)
    expect(await muster.pastEvents({ maxDate: '2001-01-01T00:00:00Z' }).toArray()).toEqual([])
  })

  it('lists only the deliveries of the specified webhook', async () => {
    const { muster } = await fleet(0)
    const url = 'https://receiver.invalid/'
    const [one, other] = [
      await muster.mutations.createWebhook({ url }),
      await muster.mutations.createWebhook({ url: `${url}other` }),
    ]
    for (let number = 0; number < 3; number++) await muster.mutations.testWebhook({ id: one.id })
    await muster.mutations.testWebhook({ id: other.id })
    const list = muster.deliveries({ webhookId: one.id, size: 2 })
    expect(await list.total()).toBe(3)
    const deliveries = await list.toArray()
    expect(deliveries.map(({ status, event }) => [status, event])).toEqual(Array(3).fill(['failed', null]))
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(3)
    expect(await muster.deliveries({ webhookId: one.id, failed: false }).toArray()).toEqual([])
    await expect(muster.deliveries({ webhookId: 'none' }).toArray()).rejects.toBeInstanceOf(NotFoundError)
  })

  it('requests no deliveries of other webhooks', async () => {
    const deliveries = { items: [], hasMore: false, cursor: null }
    const { muster, received } = await startFakeServer([{ body: { data: { login: { webhooks: [{ deliveries }] } } } }])
    expect(await muster.deliveries({ webhookId: 'one' }).toArray()).toEqual([])
    const [{ body }] = received as [(typeof received)[0]]
    expect(body).toMatchObject({ query: expect.stringContaining('webhooks(id: $v0)'), variables: { v0: ['one'] } })
  })
})
