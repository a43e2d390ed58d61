import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedDevices } from '../../../server/test/factories/seed-devices.ts'
import { startTestApp, type TestApp, type TestUser } from '../../../server/test/harness/app.ts'
import { startBatchProxy } from '../harness/batch-proxy.ts'
import { addDevices, createCliUser } from '../harness/cli-user.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const changed = async (user: TestUser): Promise<number> =>
  (await user.data('{ login { devices(attributes: { mark: "x" }) { total } } }')).login.devices.total

const addMany = ({ accountId }: TestUser, count: number): Promise<unknown> =>
  seedDevices(
    app.db,
    accountId,
    Array.from({ length: count }, (_, index) => ({ name: `node-${index}` })),
  )

describe('attributes of one device', () => {
  it('sets, shows, and removes attributes', async () => {
    const { user, run, lines, write } = await createCliUser(app)
    await addDevices(user, ['gate'])
    const file = await write('note.txt', 'two\nlines\n')
    const set = ['gate', 'site=oslo', 'net.ssid=a=b', 'empty=', '--file', `note=${file}`]
    expect(await lines('attributes', 'set', ...set)).toEqual([
      { site: 'oslo', net: { ssid: 'a=b' }, empty: '', note: 'two\nlines\n' },
    ])
    expect((await run('attributes', 'get', 'gate', 'site')).stdout).toBe('oslo\n')
    expect((await run('attributes', 'get', 'gate', 'note')).stdout).toBe('two\nlines\n\n')
    expect((await run('attributes', 'get', 'gate')).stdout).toContain('note      two\\nlines\\n\n')
    expect(await lines('attributes', 'get', 'gate', 'site', 'none')).toEqual([{ site: 'oslo', none: null }])
    expect(await lines('attributes', 'get', 'gate', 'site')).toEqual([{ site: 'oslo' }])
    expect(await run('attributes', 'get', 'gate', 'none')).toMatchObject({ code: 4, stdout: '' })
    const missing = await run('attributes', 'get', 'gate', 'none', '--json')
    expect([missing.code, missing.stdout, JSON.parse(missing.stderr)]).toEqual([
      4,
      '',
      { error: { code: 'FAILED', message: 'gate has no attribute "none"' } },
    ])
    expect(await lines('attributes', 'unset', 'gate', 'net', 'empty', 'note', 'none')).toEqual([{ site: 'oslo' }])
    expect(await lines('attributes', 'set', 'me', '$ui.theme=dark')).toEqual([{ $ui: { theme: 'dark' } }])
  })

  it('previews changes to attributes of the user', async () => {
    const { run, lines } = await createCliUser(app)
    await run('attributes', 'set', 'me', '$ui.theme=dark', 'site=oslo')
    const change = ['set', 'me', '$ui.theme=light', 'site=oslo', '--dry-run']
    expect(await lines('attributes', ...change)).toMatchObject([
      { name: 'me', attribute: '$ui.theme', from: 'dark', to: 'light' },
    ])
    expect((await run('attributes', ...change)).stderr).toContain('Targets that would change: 1 of 1.')
    expect(await lines('attributes', ...change, '--context', 'night')).toMatchObject([{ from: 'dark' }, { to: 'oslo' }])
    expect(await lines('attributes', 'unset', 'me', '$ui', '--dry-run')).toMatchObject([{ from: 'dark', to: null }])
    expect(await run('attributes', 'set', 'me', '$svc.statusA=x', '--dry-run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"$svc.statusA" is reserved'),
    })
    expect(await lines('attributes', 'get', 'me')).toEqual([{ $ui: { theme: 'dark' }, site: 'oslo' }])
  })

  it('sets and shows overrides in contexts', async () => {
    const { user, run, lines } = await createCliUser(app)
    const [id] = await addDevices(user, ['gate'], { site: 'oslo', net: { ssid: 'a=b' } })
    await run('attributes', 'set', id!, 'site=bergen', '--context', 'night')
    expect((await run('attributes', 'get', 'gate', 'site')).stdout).toBe('oslo\n')
    expect((await run('attributes', 'get', 'gate', 'site', '--context', 'night')).stdout).toBe('bergen\n')
    // An override must remain even if the base value becomes equal to it.
    await run('attributes', 'set', 'gate', 'site=bergen')
    expect(await lines('attributes', 'get', 'gate', '--context', 'night', '--overrides')).toEqual([{ site: 'bergen' }])
    expect((await lines('attributes', 'get', 'gate', '--contexts'))[0]).toContainEqual({
      name: 'site',
      base: 'bergen',
      context: 'night',
      value: 'bergen',
    })
    const dryRun = ['--context', 'night', '--dry-run']
    expect(await lines('attributes', 'unset', 'gate', 'site', 'net', ...dryRun)).toMatchObject([
      { attribute: 'site', from: 'bergen', to: null },
    ])
    expect(await lines('attributes', 'set', 'gate', 'site=bergen', 'net.ssid=a=b', ...dryRun)).toMatchObject([
      { attribute: 'net.ssid', from: 'a=b', to: 'a=b' },
    ])
    await run('attributes', 'unset', 'gate', 'site', '--context', 'night')
    expect(await lines('attributes', 'get', 'gate', '--context', 'night', '--overrides')).toEqual([{}])
  })

  it('explains errors, and changes nothing', async () => {
    const { user, run, write } = await createCliUser(app)
    const latin = await write('latin.txt', Buffer.from('K\xf8benhavn', 'latin1'))
    await addDevices(user, ['gate'], { v: '1' })
    for (const [args, code, message] of [
      [['set', 'gate'], 2, 'no attributes to set'],
      [['set', 'gate', 'site'], 2, 'name=value'],
      [['set', 'gate', 'site!=oslo'], 2, 'whose name ends in !, put name=value in quotes, and add the argument --'],
      [['set', 'gate', 'load>=1'], 2, 'whose name ends in >'],
      [['set', 'gate', 'load<=1'], 2, 'whose name ends in <'],
      [['set', 'gate', 'site==oslo'], 2, 'a value that begins with ='],
      [['set', 'gate', 'site = oslo'], 2, 'spaces around the equals sign'],
      [['set', 'gate', 'a=1', 'a=2'], 2, 'appears twice'],
      [['set', 'gate', '--file', `note=${latin}`], 2, 'latin.txt is not valid UTF-8'],
      [['set', 'gate', '$x=1'], 1, 'reserved'],
      [['set', 'gate', 'v.b=2'], 7, 'v'],
      [['set', '--where', 'a=b', '--all', 'a=1'], 2, 'cannot be used'],
      [['unset', 'gate'], 2, 'no attributes to remove'],
    ] as const) {
      const result = await run('attributes', ...args)
      expect(result, args.join(' ')).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    }
    expect((await user.data('{ login { devices { items { attributes } } } }')).login.devices.items).toEqual([
      { attributes: { v: '1' } },
    ])
  })
})

it('sets names that end in an operator if the arguments follow --', async () => {
  const { user, run, lines } = await createCliUser(app)
  await addDevices(user, ['gate'])
  const set = ['attributes', 'set', '--json', '--', 'gate', 'site!=oslo', 'load>=1', 'a==b', 'rack<=3']
  expect(JSON.parse((await run(...set)).stdout)).toEqual({ 'site!': 'oslo', 'load>': '1', a: '=b', 'rack<': '3' })
  expect(await lines('attributes', 'get', 'gate', 'site!')).toEqual([{ 'site!': 'oslo' }])
})

describe('bulk changes', () => {
  it('previews a change, and applies it after confirmation', async () => {
    const { user, run, lines } = await createCliUser(app)
    const [one] = await addDevices(user, ['a', 'b'], { site: 'oslo' })
    await addDevices(user, ['c'], { site: 'bergen', mark: { of: 'a group' } })
    await run('attributes', 'set', one!, 'mark=x')
    const where = ['--where', 'site=oslo']
    const preview = await run('attributes', 'set', ...where, 'mark=x', '--dry-run', '--json')
    expect(
      preview.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ name: 'b', attribute: 'mark', from: null, to: 'x' }])
    expect(preview.stderr).toContain('Targets that would change: 1 of 2.')
    expect(await run('attributes', 'set', ...where, 'mark=x')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/2 devices.*\n.*--yes/),
    })
    expect(await changed(user)).toBe(1)
    expect(await lines('attributes', 'set', ...where, 'mark=x', '--yes')).toEqual([
      { done: 2, refused: [], interrupted: false },
    ])
    const all = await run('attributes', 'set', '--all', 'mark=x', '--yes')
    expect(all).toMatchObject({ code: 3, stdout: '2 done, 1 rejected\n', stderr: expect.stringContaining('CONFLICT') })
    const rejected = {
      stdout: expect.stringContaining('rejected: mark is a group'),
      stderr: expect.stringContaining('Rejected: 1.'),
    }
    expect(await run('attributes', 'set', '--all', 'mark=x', '--dry-run')).toMatchObject({ code: 3, ...rejected })
    for (const name of ['$x', '$svc', '$svc.other', '$svc.statusF'])
      expect(await run('attributes', 'set', '--all', `${name}=1`, '--dry-run')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`the attribute name "${name}" is reserved`),
      })
    expect(await run('attributes', 'set', 'c', 'mark=x', 'site=x', '--dry-run')).toMatchObject({
      code: 7,
      stdout: rejected.stdout,
      stderr: expect.stringContaining('would change: 0 of 1. Rejected: 1.'),
    })
    expect(await lines('attributes', 'unset', '--where', 'name=a', 'mark', 'site', '--yes')).toMatchObject([
      { done: 1 },
    ])
    expect(await run('attributes', 'set', '--all', '$x=1', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('reserved'),
    })
  })

  it('previews changes to reserved attributes of devices, and rejects those of services', async () => {
    const { user, run, lines } = await createCliUser(app)
    await addDevices(user, ['gate'], { $svc: { statusA: 'ok' } })
    const [{ id }] = await lines('services', 'add', 'gate', 'ssh')
    expect(await lines('attributes', 'unset', 'gate', '$svc', '--dry-run')).toMatchObject([{ to: null }])
    const rejected = { code: 7, stdout: expect.stringContaining('rejected: only devices can have $svc.statusA') }
    expect(await run('attributes', 'set', id, '$svc.statusA=x', '--dry-run')).toMatchObject(rejected)
  })

  it('changes the devices whose IDs are in a file', async () => {
    const { user, start, run, write, home } = await createCliUser(app)
    const ids = await addDevices(user, ['a', 'b', 'c'])
    const piped = start(['attributes', 'set', '--from', '-', 'mark=x'], { input: `# two\n${ids[0]}\n\n${ids[2]}\n` })
    expect(await piped.done).toMatchObject({ code: 0, stdout: '2 done\n' })
    expect(await changed(user)).toBe(2)
    const wrong = await run('attributes', 'set', '--from', await write('ids', `${ids[1]}\nb\n`), 'mark=x')
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('ids:2: "b" is not a device') })
    const unknown = await write('unknown', `${ids[1]}\n80:00:00:00:00:00:00:01\n`)
    const partly = await run('attributes', 'set', '--from', unknown, 'mark=x')
    expect(partly).toMatchObject({ code: 3, stderr: expect.stringContaining('NOT_FOUND') })
    expect(readdirSync(join(home, '.muster', 'changes'))).toEqual([])
  })

  it('stops at Ctrl-C, prints the progress, and resumes the change later', async () => {
    const { user, start, run, write, env } = await createCliUser(app)
    await addMany(user, 1_200)
    // Interrupt the command while the second page is in flight.
    const proxy = await startBatchProxy(app.url, 'setAttributesMany', async (number) => {
      if (number !== 7) return
      running.child.kill('SIGINT')
      await running.waitForOutput('stderr', /Stopping after/)
    })
    const ownCredentials = readFileSync(env.MUSTER_CREDENTIALS!, 'utf8')
    const proxyCredentials = await write('proxy', ownCredentials.replace(app.url, proxy.url))
    const running = start(['attributes', 'set', '--all', 'mark=x', '--yes', '--credentials', proxyCredentials])
    const { code, stdout, stderr } = await running.done
    const before = await changed(user)
    const [, done, file] = /(\d+) of 1200 done\. To resume, run: muster attributes resume (\S+)\n$/.exec(stderr) ?? []
    expect({ code, stdout, done: Number(done) }).toEqual({ code: 130, stdout: '', done: before })
    // The file name contains the time to the millisecond, so that the files sort by time.
    expect(file).toMatch(/\/\d{4}-\d\d-\d\dT\d{9}-\d+\.json$/)
    expect(before).toBeGreaterThanOrEqual(500)
    expect(before).toBeLessThan(1_200)
    const state = JSON.parse(readFileSync(file!, 'utf8'))
    expect(state).toMatchObject({ changes: { mark: 'x' }, total: 1_200, done: 500 })
    expect(JSON.stringify(state)).not.toContain(user.secret)
    expect(await run('attributes', 'resume', file!)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(proxy.url),
    })
    const resumed = await run('attributes', 'resume', '--credentials', proxyCredentials)
    expect(resumed).toMatchObject({ code: 0, stdout: '1200 done\n' })
    expect(await changed(user)).toBe(1_200)
    expect(await run('attributes', 'resume')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no interrupted or failed change found'),
    })
    const events = '{ login { events(types: [ATTRIBUTE_CHANGE]) { total } } }'
    expect((await user.data(events)).login.events.total).toBe(1_200)
  })

  it('finishes the change even if the reader closes the output', async () => {
    const { user, start } = await createCliUser(app)
    await addMany(user, 700)
    const { child, done } = start(['attributes', 'set', '--all', 'mark=x', '--yes'])
    child.stdout!.destroy()
    child.stderr!.destroy()
    expect(await done).toMatchObject({ code: 0 })
    expect(await changed(user)).toBe(700)
  })

  it('stops when the server is unreachable, and resumes the change later', async () => {
    const { user, start, run, env, write, home } = await createCliUser(app)
    await addMany(user, 1_200)
    const proxy = await startBatchProxy(app.url, 'setAttributesMany', (number) => {
      if (number === 7) proxy.interrupt()
    })
    const ownCredentials = readFileSync(env.MUSTER_CREDENTIALS!, 'utf8')
    const proxyCredentials = await write('proxy', ownCredentials.replace(app.url, proxy.url))
    const which = ['--credentials', proxyCredentials]
    const state = join(home, 'state')
    const { code, stderr } = await start(['attributes', 'set', '--all', 'mark=x', '--yes', '--state', state, ...which])
      .done
    // The exit code depends on whether the first batch to fail was sent before or after the connection was lost.
    expect([6, 8]).toContain(code)
    expect(stderr).toContain(`attributes resume ${state}`)
    await proxy.listenAgain()
    expect(await run('attributes', 'resume', state, ...which)).toMatchObject({ code: 0, stdout: '1200 done\n' })
    expect(await changed(user)).toBe(1_200)
    expect(existsSync(state)).toBe(false)
  })
})
