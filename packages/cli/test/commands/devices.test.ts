import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { addDevices, createCliUser } from '../harness/cli-user.ts'

const app = sharedTestApp()

describe('devices', () => {
  it('registers, shows, renames, and deletes devices', async () => {
    const { run, lines } = await createCliUser(app)
    const args = ['--hardware-id', 'H-1', '--attribute', 'net.ssid=lab', '--service', 'web=http:8080']
    const [registered] = await lines('devices', 'register', 'pump 7', ...args)
    expect(registered).toMatchObject({ name: 'pump 7', secret: expect.stringMatching(/.{40}/) })
    for (const nameOrId of [registered.id.toUpperCase(), 'H-1', 'pump 7']) {
      const [device] = await lines('devices', 'get', nameOrId)
      expect(device).toMatchObject({
        id: registered.id,
        hardwareId: 'H-1',
        attributes: { net: { ssid: 'lab' } },
        services: [{ name: 'web', title: 'HTTP', port: 8080 }],
      })
    }
    expect((await run('devices', 'get', 'H-1')).stdout).toMatch(/^name +pump 7\n[\s\S]+web[\s\S]+net\.ssid +lab\n$/)
    expect(await run('devices', 'rename', 'pump 7', 'pump 8')).toMatchObject({ code: 0 })
    expect(await run('devices', 'delete', 'pump 8')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(await lines('devices', 'delete', 'pump 8', '--yes')).toEqual([{ deleted: [registered.id] }])
    expect(await lines('devices', 'list')).toEqual([])
  })

  it('lists devices as a table, JSON Lines, and CSV', async () => {
    const { user, run, lines } = await createCliUser(app)
    const [one, two] = await addDevices(user, ['漢字', 'node, "two"'], { site: 'oslo', net: { ssid: 'a\nb' } })
    await addDevices(user, ['elsewhere'], { site: 'bergen' })
    const table = await run('devices', 'list', '--where', 'site=oslo', '--columns', 'name,net.ssid,state,id')
    expect(table).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'name         net.ssid  state     id',
        `node, "two"  a\\nb      inactive  ${two}`,
        `漢字         a\\nb      inactive  ${one}`,
        '',
      ].join('\n'),
    })
    const csv = await run(
      'devices',
      'list',
      '--where',
      'site=oslo',
      '--columns',
      'id,name,net.ssid,attributes.none',
      '--csv',
    )
    expect(csv.stdout).toBe(`id,name,net.ssid,attributes.none\n${two},"node, ""two""","a\nb",\n${one},漢字,"a\nb",\n`)
    expect(await lines('devices', 'list', 'NODE')).toMatchObject([
      { id: two, attributes: { site: 'oslo' }, services: [] },
    ])
    expect(await lines('devices', 'list', '--sort', 'site desc', '--where', 'state=inactive')).toHaveLength(3)
    const descending = await lines('devices', 'list', '--sort', '-name')
    expect(descending).toEqual((await lines('devices', 'list', '--sort', '+name')).toReversed())
    const limited = await run('devices', 'list', '--limit', '2', '--columns', 'id', '--csv')
    expect(limited.stdout.split('\n')).toHaveLength(4)
    expect(limited.stderr).toContain('--limit all')
    expect(await run('devices', 'list', '--limit', '3')).toMatchObject({ stderr: '' })
    expect(await run('devices', 'list', '--where', 'name=node')).toMatchObject({ code: 0, stdout: '' })
  })

  it('lists the fields of devices and services that a column can name', async () => {
    const { user, run } = await createCliUser(app)
    await addDevices(user, ['gate'], { site: 'oslo', $svc: { statusA: 'ok' } })
    await run('services', 'add', 'gate', 'ssh')
    await run('services', 'add', 'gate', 'web=http')
    await run('attributes', 'set', 'gate', 'site=bergen', '--context', 'night')
    const names = 'name,online,owner,contexts,services.port,services.state,statusA,$svc.statusA,site'
    expect((await run('devices', 'list', '--columns', names, '--csv', '--context', 'night')).stdout).toBe(
      `${names}\ngate,false,${user.email},night,22;80,inactive,ok,ok,bergen\n`,
    )
    const ofServices = 'name,online,title,device.name,device.state,device.site,device.statusA'
    expect((await run('services', 'list', '--columns', ofServices, '--csv')).stdout).toBe(
      `${ofServices}\nssh,false,SSH,gate,inactive,oslo,ok\nweb,false,HTTP,gate,inactive,oslo,ok\n`,
    )
  })

  it('lists attributes of services that have the name of a column of "services list"', async () => {
    const { user, run, lines } = await createCliUser(app)
    await addDevices(user, ['gate'])
    const [service] = await lines('services', 'add', 'gate', 'ssh')
    await run('attributes', 'set', service.id, 'type=x', 'deviceId=y')
    const names = 'services,services.type,services.deviceId,services.title'
    expect(await run('devices', 'list', '--columns', names, '--csv')).toMatchObject({
      stdout: `${names}\nssh,x,y,SSH\n`,
      stderr: '',
    })
  })

  it('filters with operators, combines several filters, and sorts by several keys', async () => {
    const { user, run, lines } = await createCliUser(app)
    await addDevices(user, ['a', 'b'], { site: 'oslo', load: '0.9' })
    await addDevices(user, ['c'], { site: 'bergen' })
    await addDevices(user, ['d'])
    const found = async (...args: string[]): Promise<string[]> =>
      (await lines('devices', 'list', ...args)).map(({ name }: { name: string }) => name)
    expect(await found('--where', 'site!=oslo')).toEqual(['c', 'd'])
    expect(await found('--where', 'site = oslo OR NOT site:*', '--where', 'name != a')).toEqual(['b', 'd'])
    expect(await found('--where', 'load>=0.5', '--sort', 'site,-name')).toEqual(['b', 'a'])
    expect(await found('--sort', '-site,-name')).toEqual(['b', 'a', 'c', 'd'])
    for (const [args, message] of [
      [['--where', 'sitte = oslo'], 'Did you mean "site"?'],
      [['--where', ''], 'the filter is empty'],
      [['--where', 'name~a'], 'Write name:a'],
      [['--sort', 'sitte,name'], 'Did you mean "site"?'],
      [['--columns', 'name,sitte'], 'Did you mean "site"?'],
      [['--sort', 'stateSince'], 'stateSince is not a sort key'],
      [['--columns', ''], 'Expected names separated by commas'],
    ] as const) {
      const result = await run('devices', 'list', ...args)
      expect(result, args.join(' ')).toMatchObject({ stdout: '', stderr: expect.stringContaining(message) })
      expect(result.code).not.toBe(0)
    }
  })

  it('counts devices by value and by state, and lists when they were online', async () => {
    const { user, run, lines } = await createCliUser(app)
    await addDevices(user, ['a', 'b'], { site: 'oslo' })
    await addDevices(user, ['c'], { site: 'bergen' })
    await addDevices(user, ['d'])
    expect((await run('devices', 'facets', 'site', 'state', '--size', '1')).stdout).toBe(
      [
        ...['site            devices  active', 'oslo            2        0', '(other values)  1        0'],
        ...['(no value)      1        0', '', 'state     devices  active', 'inactive  4        0', ''],
      ].join('\n'),
    )
    expect(await lines('devices', 'facets', 'site', '--where', 'site:*')).toMatchObject([{ name: 'site', total: 3 }])
    const [created] = await lines('devices', 'facets', 'created', '--interval', 'month')
    expect(created.buckets.map(({ value }: { value: string }) => value.slice(7))).toContain('-01T00:00:00Z')
    for (const day of ['2026-02-31', '2026-02-31T14:00:00Z', '2026-13-01'])
      expect(await run('devices', 'availability', 'a', '--since', day)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Expected a date'),
      })
    expect(await run('devices', 'facets', 'created', '--interval', 'year')).toMatchObject({ code: 2, stdout: '' })
    expect((await run('devices', 'totals', '--where', 'site = oslo')).stdout).toBe(
      'total          2\nactive         0\ninactive       2\nneverReported  2\nstale          0\n',
    )
    const available = await run('devices', 'availability', 'a', '--since', '1d', '--columns', 'state')
    expect(available).toMatchObject({
      stdout: 'state\ninactive\n',
      stderr: expect.stringMatching(/^Online 0\.00% of the time between 20\S+ \S+ and 20\S+ \S+\. Outages: 0\.\n$/),
    })
    await sql`insert into presence_sample (account_id, minutes, at, devices, online, min_online)
      values (${user.accountId}, 5, now() - interval '1 hour', 4, 3, 2)`.execute(app.db)
    expect(await lines('devices', 'presence', '--since', '1d')).toMatchObject([{ online: 3, minOnline: 2, devices: 4 }])
  })

  it('distinguishes an account without devices from a word or a filter without matches', async () => {
    const { user, run } = await createCliUser(app)
    const none = { code: 0, stdout: '', stderr: 'No device matches.\n' }
    expect(await run('devices', 'list')).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^No devices found\. .*"muster devices register NAME"/),
    })
    expect(await run('devices', 'list', 'gate')).toEqual(none)
    await addDevices(user, ['gate'])
    expect(await run('devices', 'list', '--where', 'state=active')).toEqual(none)
  })

  it('rejects an ambiguous name and an unknown name', async () => {
    const { user, run } = await createCliUser(app)
    await addDevices(user, ['twin', 'twin', 'twin 2'])
    expect(await run('devices', 'get', 'twin')).toMatchObject({ code: 2, stderr: expect.stringContaining('several') })
    expect(await run('devices', 'get', 'twin 2')).toMatchObject({ code: 0 })
    const missing = await run('devices', 'get', 'missing', '--json')
    expect(missing.code).toBe(4)
    expect(JSON.parse(missing.stderr)).toMatchObject({ error: { hint: expect.stringContaining('devices list') } })
  })

  it("does not find other users' devices", async () => {
    const [mine, other] = [await createCliUser(app), await createCliUser(app)]
    const [id] = await addDevices(other.user, ['theirs'])
    expect(await mine.run('devices', 'get', id!)).toMatchObject({ code: 4 })
    expect(await mine.run('devices', 'rename', id!, 'mine')).toMatchObject({ code: 4 })
    expect(await mine.run('devices', 'delete', id!, '--yes')).toMatchObject({ code: 4 })
    expect(await mine.run('attributes', 'set', id!, 'a=b')).toMatchObject({ code: 4 })
    expect(await mine.lines('devices', 'list')).toEqual([])
  })

  it('reports a duplicate hardware ID as a conflict, and an invalid service as a usage error', async () => {
    const { run } = await createCliUser(app)
    expect(await run('devices', 'register', 'a', '--hardware-id', 'H')).toMatchObject({ code: 0 })
    expect(await run('devices', 'register', 'b', '--hardware-id', 'H')).toMatchObject({ code: 7 })
    expect(await run('devices', 'register', 'c', '--service', 'nope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('services types'),
    })
    const { code, stderr } = await run('devices', 'register', 'c', '--service', 'ssh:70000')
    expect([code, stderr]).toEqual([2, expect.stringContaining('the port must be from 1 to 65535, not 70000')])
    expect(stderr).not.toContain('services types')
  })

  it('stops listing when the reader closes the output', async () => {
    const { user, start } = await createCliUser(app)
    await addDevices(
      user,
      Array.from({ length: 30 }, (_, index) => `pipe-${index}`),
      { filler: 'x'.repeat(10_000) },
    )
    const { child, done } = start(['devices', 'list', '--json'])
    child.stdout!.once('data', () => child.stdout!.destroy())
    expect(await done).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('services', () => {
  it('adds, lists, changes, and removes services', async () => {
    const { user, run, lines } = await createCliUser(app)
    const [device] = await addDevices(user, ['gate'])
    const [web] = await lines('services', 'add', 'gate', 'web=http:8080')
    await lines('services', 'add', 'gate', '!ssh')
    expect(await lines('services', 'list')).toMatchObject([
      { name: 'ssh', port: 22, enabled: false, device: { id: device } },
      { name: 'web', port: 8080, enabled: true },
    ])
    expect(await lines('services', 'list', 'gate', '--type', 'http')).toMatchObject([{ id: web.id }])
    expect((await run('services', 'list', 'gate', '--csv', '--columns', 'name,type,host,port')).stdout).toBe(
      'name,type,host,port\nssh,SSH,,22\nweb,HTTP,,8080\n',
    )
    const changes = ['--name', 'page', '--type', 'https', '--host', '10.0.0.1', '--no-port', '--disable']
    expect(await lines('services', 'update', web.id, ...changes)).toMatchObject([
      { name: 'page', title: 'HTTPS', host: '10.0.0.1', port: null, enabled: false },
    ])
    expect(await lines('services', 'update', web.id, '--no-host', '--port', '1', '--enable')).toMatchObject([
      { name: 'page', host: null, port: 1, enabled: true },
    ])
    expect(await run('services', 'update', web.id)).toMatchObject({ code: 2 })
    await run('attributes', 'set', web.id, 'owner=anna')
    expect((await run('services', 'list', '--sort', 'port', '--columns', 'port,owner,device')).stdout).toBe(
      'port  owner  device\n1     anna   gate\n22    -      gate\n',
    )
    for (const option of ['--columns', '--sort'])
      expect(await run('services', 'list', option, 'ownre')).toMatchObject({
        code: expect.toBeOneOf([1, 2]),
        stderr: expect.stringContaining('Did you mean "owner"?'),
      })
    const unknown = '80:00:00:00:00:00:00:01'
    const removed = await run('services', 'remove', unknown, web.id, '--yes')
    expect(removed).toMatchObject({ code: 3, stdout: `Removed ${web.id}\n` })
    expect(await run('services', 'remove', unknown, '--yes')).toMatchObject({ code: 4 })
    expect((await run('services', 'types', '--csv')).stdout).toContain('\n28,SSH,22,tcp,')
  })
})

it("lists changes to a device's attributes", async () => {
  const { user, run, lines } = await createCliUser(app)
  await addDevices(user, ['gate'], { site: 'oslo' })
  await run('attributes', 'set', 'gate', 'site=rome', 'net.ssid=lab')
  await run('attributes', 'set', 'gate', 'site=night', '--context', 'night')
  const changes = await lines('devices', 'history', 'gate', 'site')
  expect(changes).toMatchObject([
    { name: 'site', context: 'night', old: null, new: 'night', source: { kind: 'accessKey' } },
    { name: 'site', context: null, old: 'oslo', new: 'rome' },
    { name: 'site', context: null, old: null, new: 'oslo' },
  ])
  expect(await lines('devices', 'history', 'gate', '--limit', '2')).toHaveLength(2)
  expect(await lines('devices', 'history', 'gate', '--context', 'night')).toHaveLength(1)
  expect((await run('devices', 'history', 'gate', 'net', '--columns', 'name,new')).stdout).toBe(
    'name      new\nnet.ssid  lab\n',
  )
  expect(await run('devices', 'history', 'missing')).toMatchObject({ code: 4, stdout: '' })
})
