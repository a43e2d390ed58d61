import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { hasProgram } from '../../../../examples/test/programs.ts'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { launcherPath } from '../../../server/test/harness/bundled-programs.ts'
import { claimPorts } from '../../../server/test/harness/ports.ts'
import { startBatchProxy } from '../harness/batch-proxy.ts'
import { addDevices, createCliUser } from '../harness/cli-user.ts'
import { credentialsOf } from '../harness/muster.ts'
import { inTerminal } from '../harness/terminal.ts'

const app = sharedTestApp({ worker: true })

it('previews, runs, lists, and undoes changes to many devices', async () => {
  const { user, run, lines } = await createCliUser(app)
  const ids = (await addDevices(user, ['a', 'b', 'c'], { site: 'oslo' })).sort()
  const where = ['--where', 'site = oslo']

  const [preview] = await lines('bulk', 'set', 'site=rome', 'label={name}', ...where, '--dry-run')
  expect(preview).toMatchObject({ state: 'READY', counts: { change: 3, rejected: 0 } })
  for (const format of [[], ['--json']])
    expect(await run('bulk', 'set', 'site=rome', ...where, ...format)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^a +site: oslo → rome$.*Set site of 3 devices \(0 unchanged, 0 rejected\)/ms),
    })
  expect(await run('bulk', 'set', 'site=rome', ...where, '--yes', '--expect', '4')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('would change, register, or delete 3 devices, but --expect is 4'),
  })
  expect(await lines('bulk', 'list')).toMatchObject(Array(4).fill({ state: 'CANCELED' }))
  const [job] = await lines(
    'bulk',
    'set',
    'site=rome',
    'label={name}',
    ...where,
    '--yes',
    '--expect',
    '3',
    '--name',
    'move',
    '--rate',
    '100',
  )
  expect(job).toMatchObject({ name: 'move', state: 'DONE', counts: { done: 3 } })
  expect((await run('devices', 'list', '--columns', 'name,site,label')).stdout).toBe(
    'name  site  label\na     rome  a\nb     rome  b\nc     rome  c\n',
  )
  expect((await run('bulk', 'list', '--columns', 'name,state,done', '--limit', '1')).stdout).toBe(
    'name  state  done\nmove  DONE   3\n',
  )
  const items = await lines('bulk', 'items', job.id, '--status', 'done')
  expect(items.map(({ device }) => device.id)).toEqual(ids)
  expect(await run('bulk', 'items', job.id, '--status', 'gone')).toMatchObject({ code: 2 })
  expect(await run('bulk', 'watch', 'bj_missing')).toMatchObject({ code: 4 })

  const [header, first] = (await run('bulk', 'report', job.id)).stdout.split('\n')
  expect(header).toBe('device,name,outcome,status,reason,code,message,changes')
  expect(first).toMatch(`${ids[0]},`)
  expect(first).toContain('CHANGE,DONE,,,,"{""setAttributes"":')

  const [undo] = await lines('bulk', 'undo', job.id, '--yes')
  expect(undo).toMatchObject({ state: 'DONE', counts: { done: 3 } })
  expect(await lines('devices', 'list', '--where', 'site = oslo')).toHaveLength(3)

  const [unset] = await lines('bulk', 'unset', 'site', '--device', 'a', '--yes')
  expect(unset).toMatchObject({ counts: { total: 1, done: 1 } })
  const [update] = await lines('bulk', 'update', '--rename', '{name}-{site}', '--platform', 'linux', ...where, '--yes')
  expect(update).toMatchObject({ counts: { done: 2 } })
  expect((await run('devices', 'list', '--columns', 'name,platform')).stdout).toBe(
    'name    platform\na       -\nb-oslo  linux\nc-oslo  linux\n',
  )
  const [partly] = await lines('bulk', 'delete', '--where', 'id:*', '--yes')
  expect(partly).toMatchObject({ counts: { done: 3 } })
  expect(await run('bulk', 'set', 'x=y', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--where'),
  })
  expect(await run('bulk', 'update', '--where', 'id:*')).toMatchObject({ code: 2 })
})

it('changes the devices in a CSV file without registering any, and retries the rows that failed', async () => {
  const { user, run, lines, write } = await createCliUser(app)
  await addDevices(user, ['a', 'b'], { site: 'oslo' })
  const file = await write('sites.csv', 'name,site\na,rome\nc,rome\n')
  const partly = await run('bulk', 'set', 'label={name}', '--csv', file, '--yes', '--expect', '1')
  expect(partly).toMatchObject({ code: 3, stdout: expect.stringMatching(/^DONE: 1 done, 1 failed/) })
  const [, id = ''] = /\((.*)\)/.exec(partly.stdout) ?? []
  await addDevices(user, ['c'])
  expect(await lines('bulk', 'retry', id, '--yes')).toMatchObject([{ state: 'DONE', counts: { done: 1 } }])
  const list = ['devices', 'list', '--columns', 'name,site,label']
  expect((await run(...list)).stdout).toBe('name  site  label\na     rome  a\nb     oslo  -\nc     rome  c\n')

  const platforms = await write('platforms.csv', 'name,platform\nb,linux\n')
  expect(await run('bulk', 'set', '--csv', platforms, '--context', 'night')).toMatchObject({ code: 2 })
  expect(await run('bulk', 'set', '--csv', platforms, '--where', 'id:*')).toMatchObject({ code: 2 })
  expect(await run('bulk', 'set', '--where', 'id:*')).toMatchObject({ code: 2 })
  expect(await lines('bulk', 'update', '--csv', platforms, '--yes')).toMatchObject([{ counts: { done: 1 } }])
  const deleted = await run('bulk', 'delete', '--csv', platforms, '--dry-run')
  expect(deleted).toMatchObject({ code: 0, stderr: expect.stringMatching(/^b +deleted$/m) })
})

it('reports the lines of rows in a file with empty lines and several parts', async () => {
  const { user, run, lines, write } = await createCliUser(app)
  await addDevices(user, ['a'], {})
  const twice = await write('twice.csv', '\nname,site\n\n\na,"x\r\ny"\n\na,z\n')
  expect(await run('bulk', 'set', '--csv', twice, '--yes')).toMatchObject({
    stderr: expect.stringContaining('lines 5 and 8 identify the same device'),
  })
  const rows = Array.from({ length: 5_100 }, (_, index) => `missing-${index},"x\ny"\n`)
  const file = await write('fleet.csv', `name,site\n\n${rows.join('\n')}`)
  const [job] = await lines('bulk', 'set', '--csv', file, '--dry-run')
  const report = (await run('bulk', 'report', job.id)).stdout
  const reported = new Map(
    [...report.matchAll(/^line (\d+),missing-(\d+),/gm)].map(([, line, index]) => [+index!, +line!]),
  )
  expect(reported).toEqual(new Map(rows.map((_row, index) => [index, 3 + 3 * index])))
})

it.each([
  ['uploads a file', 'appendBulk'],
  ['reads the preview', '"REGISTER"'],
])('cancels the job if the command is interrupted while it %s', async (_name, request) => {
  const { user, start, lines, write } = await createCliUser(app)
  const rows = Array.from({ length: 5_100 }, (_, index) => `new-${index}\n`)
  const file = await write('fleet.csv', `name\n${rows.join('')}`)
  const proxy = await startBatchProxy(app.url, request, async () => {
    command.child.kill('SIGINT')
    // The command must receive the signal before the response.
    await new Promise((resolve) => setTimeout(resolve, 500))
  })
  const credentials = await write('credentials-of-proxy', credentialsOf(proxy.url, user))
  const command = start(['bulk', 'register', file, '--credentials', credentials])
  expect(await command.done).toMatchObject({ code: 130, stderr: expect.stringContaining('canceled; no changes made') })
  expect(await lines('bulk', 'list')).toMatchObject([{ state: 'CANCELED' }])
})

it('shows why it did not start a job even if it cannot cancel the job', async () => {
  const { user, run, write } = await createCliUser(app)
  await addDevices(user, ['a'], {})
  const proxy = await startBatchProxy(app.url, 'cancelBulk', () => proxy.interrupt())
  const credentials = await write('credentials-of-proxy', credentialsOf(proxy.url, user))
  const args = ['site=rome', '--device', 'a', '--yes', '--expect', '2', '--credentials', credentials]
  expect(await run('bulk', 'set', ...args)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('would change, register, or delete 1 device, but --expect is 2'),
  })
})

it('rejects CSV files that are not UTF-8', async () => {
  const { user, run, lines, write } = await createCliUser(app)
  await addDevices(user, ['a'], {})
  const latin = await write('latin.csv', Buffer.from('name,site\na,K\xf8benhavn\n', 'latin1'))
  const utf16 = await write('utf16.csv', Buffer.from('\ufeffname,site\na,x\n', 'utf16le'))
  expect(await run('bulk', 'set', '--csv', latin, '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('line 2: the row contains bytes that are not valid UTF-8'),
  })
  expect(await run('bulk', 'register', utf16, '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the file is encoded in UTF-16'),
  })
  expect(await lines('bulk', 'list')).toEqual([])
})

it('adds and removes services, and sets their attributes', async () => {
  const { user, run, lines } = await createCliUser(app)
  await addDevices(user, ['a', 'b'], {})
  const all = ['--where', 'id:*', '--yes']
  const services = async (): Promise<string> => (await run('services', 'list', '--columns', 'name,port')).stdout
  expect(await lines('bulk', 'add-service', 'web=https:8443', ...all)).toMatchObject([{ counts: { done: 2 } }])
  expect(await lines('bulk', 'add-service', 'telnet', ...all)).toMatchObject([{ counts: { done: 2 } }])
  expect(await lines('bulk', 'set', 'rack=1', ...all, '--services', 'name = web')).toMatchObject([
    { counts: { done: 2 } },
  ])
  const { login } = await user.data('{ login { services(where: "attributes.rack = 1") { items { name } } } }')
  expect(login.services.items).toEqual([{ name: 'web' }, { name: 'web' }])
  expect(await lines('bulk', 'remove-service', 'port = 23', ...all)).toMatchObject([{ counts: { done: 2 } }])
  expect(await services()).toBe('name  port\nweb   8443\nweb   8443\n')
  expect(await run('bulk', 'add-service', 'a;b', ...all)).toMatchObject({ code: 2 })
})

it('pauses, resumes, and cancels a job', async () => {
  const { user, run, lines, env } = await createCliUser(app)
  // With 900 devices and the rates below, the job is still running when the test cancels it.
  await sql`insert into device (account_id, id, name)
    select ${user.accountId}, '80:00:00:00:00:01:' || substr(number, 1, 2) || ':' || substr(number, 3, 2), 'node ' || number
    from generate_series(1, 900) as i cross join lateral (select lpad(to_hex(i), 4, '0') as number) as named`.execute(
    app.db,
  )
  await sql`insert into device_live (account_id, device_id) select account_id, id from device
    where account_id = ${user.accountId}`.execute(app.db)
  const [started] = await lines('bulk', 'set', 'site=rome', '--where', 'id:*', '--rate', '1', '--detach', '--yes')
  expect(started.state).toBe('RUNNING')
  expect(await lines('bulk', 'pause', started.id)).toMatchObject([{ state: 'PAUSED' }])
  expect(await run('bulk', 'watch', started.id)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`muster bulk resume ${started.id}`),
  })
  expect(await lines('bulk', 'resume', started.id, '--rate', '2')).toMatchObject([{ state: 'RUNNING' }])
  const { login } = await user.data(`{ login { bulkJob(id: "${started.id}") { rate } } }`)
  expect(login.bulkJob).toEqual([{ rate: 2 }])
  expect(await lines('bulk', 'cancel', started.id)).toMatchObject([{ state: 'CANCELED' }])
  if (!hasProgram('python3')) return
  const change = ['bulk', 'set', 'site=oslo', '--where', 'id:*', '--rate', '400', '--yes']
  expect(await inTerminal({ env }, ...change)).toMatch(/\d% \| \d+\/900 .*DONE: 900 done/s)
})

it('registers devices from a file of several parts, and changes those that exist', async () => {
  const { user, run, start, lines, write } = await createCliUser(app)
  await addDevices(user, ['old'], {})
  const rows = Array.from({ length: 5_100 }, (_, index) => `new-${index},H-${index},oslo`)
  const file = await write('fleet.csv', `name,hardwareId,site\nold,,rome\n${rows.join('\n')}\n`)
  expect(await run('bulk', 'register', file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Register 5100 devices; Change 1 device (0 unchanged, 0 rejected)'),
  })
  const [job] = await lines('bulk', 'register', file, '--yes', '--rate', '10000')
  expect(job).toMatchObject({ state: 'DONE', counts: { total: 5_101, change: 1, register: 5_100, done: 5_101 } })
  expect((await run('devices', 'list', '--where', 'name = old', '--columns', 'name,site')).stdout).toContain('rome')
  const one = await write('one.csv', 'name\nwith-secret\n')
  const secrets = `${one}.secrets`
  expect(await run('bulk', 'register', one, '--yes', '--secrets', secrets)).toMatchObject({ code: 0 })
  expect(await readFile(secrets, 'utf8')).toMatch(/^id,name,hardwareId,secret\n80:[^,]*,with-secret,,[\w-]{43}\n$/)
  expect(await run('bulk', 'register', one, '--yes', '--secrets', secrets)).toMatchObject({ code: 2 })

  // At one device per second, only the first batch starts before the command is interrupted.
  const many = await write(
    'many.csv',
    `name\n${Array.from({ length: 300 }, (_, index) => `late-${index}`).join('\n')}\n`,
  )
  const late = `${one}.late`
  const slow = start(['bulk', 'register', many, '--yes', '--rate', '1', '--secrets', late])
  await expect
    .poll(async () => (await lines('bulk', 'list', '--limit', '1'))[0].state, { timeout: 60_000 })
    .toBe('RUNNING')
  slow.child.kill('SIGINT')
  const stopped = await slow.done
  expect(stopped).toMatchObject({ code: 130, stderr: expect.stringContaining('the job continues on the server') })
  const [, id = ''] = /muster bulk secrets (\S+) --file FILE/.exec(stopped.stderr) ?? []
  await expect(readFile(late)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await run('bulk', 'secrets', id, '--file', late)).toMatchObject({ code: 7 })
  await lines('bulk', 'resume', id, '--rate', '10000')
  await lines('bulk', 'watch', id)
  expect(await run('bulk', 'secrets', id, '--file', secrets)).toMatchObject({ code: 2 })
  expect(await run('bulk', 'secrets', id, '--file', late)).toMatchObject({ code: 0, stdout: '' })
  expect((await readFile(late, 'utf8')).trimEnd().split('\n')).toHaveLength(301)
  expect((await stat(late)).mode & 0o777).toBe(0o600)
  expect(await run('bulk', 'secrets', id, '--file', `${late}.again`)).toMatchObject({ code: 4 })

  const unused = `${one}.unused`
  expect(await run('bulk', 'register', one, '--dry-run', '--secrets', unused)).toMatchObject({ code: 0 })
  await expect(readFile(unused)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await run('bulk', 'register', await write('bad.csv', 'name\n"a'))).toMatchObject({ code: 2 })
})

it.each([
  ['| true', ''],
  ['> /dev/full', 'muster: cannot write the output: ENOSPC: no space left on device, write\n'],
])('saves the secrets and cancels dry runs if the output cannot be written (%s)', async (redirection, stderr) => {
  const { env, lines, write } = await createCliUser(app)
  const file = await write('one.csv', 'name\none\n')
  const script = `set -o pipefail; ${process.execPath} ${launcherPath()} bulk register "$@" ${redirection}`
  const register = (...args: string[]) =>
    new Promise((resolve) => {
      execFile('bash', ['-c', script, 'bash', file, ...args], { env }, (error, _stdout, stderr) => {
        resolve({ code: error?.code ?? 0, stderr })
      })
    })
  const code = stderr === '' ? 0 : 1
  expect(await register('--dry-run', '--json')).toEqual({ code, stderr })
  expect(await lines('bulk', 'list')).toMatchObject([{ state: 'CANCELED' }])
  expect(await register('--yes', '--secrets', `${file}.secrets`)).toEqual({ code, stderr })
  expect(await readFile(`${file}.secrets`, 'utf8')).toContain(',one,')
})

it('reports why the secrets cannot be downloaded, and can download them later', async () => {
  const { user, run, start, write } = await createCliUser(app)
  const [closedPort] = await claimPorts(1)
  const origin = `http://127.0.0.1:${closedPort}`
  const misconfigured = await app.startAnother({ env: { MUSTER_PUBLIC_URL: origin } })
  onTestFinished(() => misconfigured.close())
  const MUSTER_CREDENTIALS = await write('misconfigured', credentialsOf(misconfigured.url, user))
  const file = await write('one.csv', 'name\none\n')
  const secrets = `${file}.secrets`

  const failed = await start(['bulk', 'register', file, '--yes', '--secrets', secrets], { env: { MUSTER_CREDENTIALS } })
    .done
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`cannot download the secrets: connect ECONNREFUSED 127.0.0.1:${closedPort}`),
  })
  const [, id = ''] = /muster bulk secrets (\S+) --file FILE/.exec(failed.stderr) ?? []
  expect(await run('bulk', 'secrets', id, '--file', secrets)).toMatchObject({ code: 0 })
  expect(await readFile(secrets, 'utf8')).toContain(',one,')
})
