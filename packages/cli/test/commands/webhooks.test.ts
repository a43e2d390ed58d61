import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { launcherPath } from '../../../server/test/harness/bundled-programs.ts'
import { startReceiver } from '../../../server/test/harness/webhook-receiver.ts'
import { addDevices, type CliUser, createCliUser } from '../harness/cli-user.ts'
import type { RunningCommand } from '../harness/muster.ts'

const app = sharedTestApp({ worker: true, env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8' } })

const printedLines = ({ stdout }: RunningCommand) =>
  stdout()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

describe('webhooks', () => {
  it('creates, updates, rotates, and deletes webhooks', async () => {
    const { run, lines } = await createCliUser(app)
    const url = 'http://127.0.0.1:1/'
    const [webhook] = await lines('webhooks', 'create', url, '--events', 'device.register', '--name', 'mine')
    expect(webhook).toMatchObject({ secret: expect.stringMatching(/^whsec_/), events: ['DEVICE_REGISTER'] })
    const { id } = webhook
    expect(await lines('webhooks', 'list')).toMatchObject([{ id, name: 'mine', enabled: true }])
    expect((await run('webhooks', 'list', '--json')).stdout).not.toContain('secret')
    expect(
      await lines('webhooks', 'update', id, '--disable', '--no-name', '--events', 'device.register,device.update'),
    ).toMatchObject([{ name: null, enabled: false, events: expect.arrayContaining(['DEVICE_UPDATE']) }])
    const [rotated] = await lines('webhooks', 'rotate', id, '--overlap', '1h')
    expect(rotated.secret).not.toBe(webhook.secret)
    expect(await run('webhooks', 'rotate', id, '--overlap', '8d')).toMatchObject({ code: 2 })
    expect(await run('webhooks', 'create', 'http://10.0.0.1/')).toMatchObject({ code: 1 })
    expect(await run('webhooks', 'delete', id, '--yes')).toMatchObject({ code: 0 })
    expect(await run('webhooks', 'deliveries', id)).toMatchObject({ code: 4 })
  })

  it('prints one line per webhook to a pipe, with aligned columns', async () => {
    const { env, lines } = await createCliUser(app)
    const url = 'http://127.0.0.1:1/a/long/path/of/a/receiver/that/does/not/fit/on/a/terminal'
    await lines('webhooks', 'create', url, '--name', 'Night shift')
    await lines('webhooks', 'create', 'http://127.0.0.1:1/', '--events', 'device.register')
    const script = `table=$(${process.execPath} ${launcherPath()} webhooks list | cat)
      position() { head -n 1 <<< "$table" | grep -bo " $1" | cut -d: -f1; }
      cut -c "$(($(position url) + 2))-$(position enabled)" <<< "$table"`
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { ...env, PATH: process.env.PATH } })
    expect(stdout.split('\n').map((line) => line.trim())).toEqual(['url', 'http://127.0.0.1:1/', url, ''])
  })

  it('tests webhooks and resends deliveries', async () => {
    const { user, run, lines } = await createCliUser(app)
    const receiver = await startReceiver()
    const [{ id }] = await lines('webhooks', 'create', receiver.url, '--events', 'device.register')
    receiver.respondWith((_message, response) => response.writeHead(410).end('gone'))
    const failed = await run('webhooks', 'test', id)
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/httpStatus +410[\s\S]+gone/) })
    await addDevices(user, ['gate'])
    await receiver.waitFor(2)
    // The test event and the registration must each have a failed delivery.
    await expect
      .poll(async () => (await lines('webhooks', 'deliveries', id, '--failed')).map(({ httpStatus }) => httpStatus))
      .toEqual([410, 410])

    receiver.respondWith((_message, response) => response.writeHead(204).end())
    expect(await lines('webhooks', 'update', id, '--enable')).toMatchObject([{ enabled: true }])
    expect(await lines('webhooks', 'redeliver', id, '--failed')).toEqual([{ redelivered: 2 }])
    await receiver.waitFor(4)
    await expect.poll(async () => (await lines('webhooks', 'deliveries', id))[0]).toMatchObject({ status: 'delivered' })
    const [delivery] = await lines('webhooks', 'deliveries', id)
    expect(await lines('webhooks', 'redeliver', id, delivery.id)).toEqual([{ redelivered: 1 }])
    expect(await run('webhooks', 'redeliver', id)).toMatchObject({ code: 2 })
    expect(await run('webhooks', 'test', id)).toMatchObject({ code: 0 })
    await receiver.close()
  })

  it('receives deliveries and rejects forged requests', async () => {
    const account = await createCliUser(app)
    const listening = account.start([
      'webhooks',
      'listen',
      '--create',
      '--port',
      '0',
      '--events',
      'device.register',
      '--json',
    ])
    const [, url] = await listening.waitForOutput('stderr', /Listening on (http:\S+) for the webhook wh_\w+/)
    await addDevices(account.user, ['gate'])
    await expect
      .poll(() => printedLines(listening))
      .toMatchObject([{ type: 'device.register', data: { device: { name: 'gate' } }, again: false }])
    const forged = await fetch(url!, { method: 'POST', body: '{"type": "device.delete"}' })
    expect(forged.status).toBe(400)
    expect((await fetch(url!)).status).toBe(405)
    listening.child.kill('SIGINT')
    const { code, stdout, stderr } = await listening.done
    expect({ code, lines: stdout.split('\n').length, stderr }).toMatchObject({
      code: 0,
      lines: 2,
      stderr: expect.stringContaining('rejected a request'),
    })
    expect(await account.lines('webhooks', 'list')).toEqual([])
  })

  it('stops listening and deletes the created webhook if the reader closes the output', async () => {
    const account = await createCliUser(app)
    const { child, done, waitForOutput } = account.start([
      'webhooks',
      'listen',
      '--create',
      '--port',
      '0',
      '--events',
      'device.register',
    ])
    await waitForOutput('stderr', /Listening on/)
    child.stdout!.destroy()
    await addDevices(account.user, ['gate'])
    expect(await done).toMatchObject({ code: 0, stderr: expect.not.stringContaining('rejected') })
    expect(await account.lines('webhooks', 'list')).toEqual([])
  })

  it('receives deliveries with an existing secret', async () => {
    const account = await createCliUser(app)
    expect(await account.run('webhooks', 'listen', '--port', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('MUSTER_WEBHOOK_SECRET'),
    })
    const [{ id, secret }] = await account.lines(
      ...['webhooks', 'create', 'http://127.0.0.1:1/', '--events', 'device.register'],
    )
    const env = { MUSTER_WEBHOOK_SECRET: secret }
    const listening = account.start(['webhooks', 'listen', '--port', '0', '--json', '--answer', '500'], { env })
    const [, url] = await listening.waitForOutput('stderr', /Listening on (http:\S+)\. Press/)
    await account.run('webhooks', 'update', id, '--url', url!)
    expect(await account.run('webhooks', 'test', id)).toMatchObject({ code: 1, stdout: expect.stringContaining('500') })
    await expect.poll(() => printedLines(listening)).toMatchObject([{ type: 'webhook.test' }])
  })
})

describe('events', () => {
  it('lists events by type, device, and time', async () => {
    const { user, run, lines } = await createCliUser(app)
    const [gate] = await addDevices(user, ['gate', 'door'])
    await user.data('mutation($id: String!) { setAttribute(serviceId: $id, name: "site", value: "oslo") }', {
      id: gate,
    })
    const all = await lines('events', 'list')
    expect(all.map(({ type }) => type)).toEqual([
      ...['ATTRIBUTE_CHANGE', 'DEVICE_REGISTER', 'DEVICE_REGISTER', 'ACCESS_KEY_CREATE'],
    ])
    expect(await lines('events', 'list', '--device', 'gate', '--type', 'device.register')).toMatchObject([
      { target: [{ id: gate }] },
    ])
    expect(await lines('events', 'list', '--until', '1h')).toEqual([])
    const csv = await run('events', 'list', '--csv', '--columns', 'type,target,details', '--limit', '1')
    expect(csv.stdout).toBe('type,target,details\nATTRIBUTE_CHANGE,gate,site: - → oslo\n')
    expect(await run('events', 'list', '--type', 'nope')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('NOPE'),
    })
  })

  it('filters events by their source, and counts them over time', async () => {
    const { user, run, lines } = await createCliUser(app)
    await addDevices(user, ['gate', 'door'])
    expect(await lines('events', 'list', '--where', 'source = accessKey', '--where', 'gate')).toMatchObject([
      { type: 'DEVICE_REGISTER', target: [{ name: 'gate' }] },
    ])
    expect(await lines('events', 'list', '--where', 'source = console')).toEqual([])
    expect(await run('events', 'list', '--where', 'source = consol')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean console?'),
    })
    const counted = ['events', 'counts', '--since', '1h', '--intervals', '4', '--type', 'device.register']
    const counts = await lines(...counted)
    expect(counts.length).toBeGreaterThan(0)
    expect(counts.length).toBeLessThanOrEqual(4)
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(2)
    const table = await run(...counted, '--where', 'gate')
    expect(table.stdout).toMatch(/^from +events +bar\n/)
    expect(table.stdout).toMatch(/ 1 +█{40}\n/)
    expect(table.stderr).toBe('1 event in total.\n')
    expect((await run(...counted, '--csv')).stdout).toMatch(/^from,until,events\n.*Z,.*Z,\d/)
    expect(await run('events', 'counts', '--intervals', '201')).toMatchObject({ code: 2, stdout: '' })
    expect(await run('events', 'counts', '--view', 'missing')).toMatchObject({ code: 4, stdout: '' })
  })

  it('prints events as they happen, starting after an event', async () => {
    const account: CliUser = await createCliUser(app)
    const tail = account.start(['events', 'tail', '--json'])
    await tail.waitForOutput('stderr', /Connected/)
    await addDevices(account.user, ['one', 'two'])
    await expect.poll(() => printedLines(tail).length).toBe(2)
    tail.child.kill('SIGINT')
    const { code, stderr } = await tail.done
    const [one, two] = printedLines(tail)
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`--after ${two.id}`) })
    const again = account.start(['events', 'tail', '--profile', 'default', '--after', one.id])
    await expect.poll(() => again.stdout()).toMatch(/^\S+ \S+ {2}DEVICE_REGISTER {2}two {2}.*\n$/)
    again.child.kill('SIGINT')
    expect((await again.done).stderr).toContain(`run: muster events tail --profile default --after ${two.id}\n`)
  })
})
