import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { addDevices, createCliUser } from '../harness/cli-user.ts'
import { credentialsOf } from '../harness/muster.ts'

const app = sharedTestApp()

const list = ['devices', 'list', '--columns', 'name']

it('accepts --json before, within, and after the command', async () => {
  const { user, run } = await createCliUser(app)
  await addDevices(user, ['gate'])
  const after = await run(...list, '--json')
  expect(JSON.parse(after.stdout)).toMatchObject({ name: 'gate' })
  expect(await run('--json', ...list)).toEqual(after)
  expect(await run('devices', '--json', ...list.slice(1))).toEqual(after)
})

it('accepts --credentials and --profile before and after the command', async () => {
  const { user, run, write } = await createCliUser(app)
  const other = await app.createUser()
  await addDevices(user, ['gate'])
  await addDevices(other, ['door'])
  const section = credentialsOf(app.url, other).replace('[default]', '[work]')
  const file = await write('others', `${credentialsOf(app.url, user)}\n${section}`)
  const gate = { code: 0, stdout: 'name\ngate\n', stderr: '' }
  const door = { code: 0, stdout: 'name\ndoor\n', stderr: '' }
  for (const credentials of [['--credentials', file], [`--credentials=${file}`]]) {
    expect(await run(...credentials, ...list)).toEqual(gate)
    expect(await run(...credentials, '--profile', 'work', ...list)).toEqual(door)
    expect(await run(...credentials, 'devices', '--profile=work', 'list', '--columns', 'name')).toEqual(door)
    expect(await run('--profile', 'work', ...list, ...credentials)).toEqual(door)
    expect(await run(...list, ...credentials, '--profile', 'work')).toEqual(door)
  }
})

it('lists global options in the help, and rejects an option that the command does not have', async () => {
  const { run } = await createCliUser(app)
  for (const args of [['--help'], ['devices', '--help'], ['devices', 'list', '--help']])
    expect((await run(...args)).stdout).toMatch(/--json .*--credentials <file> .*--profile <name> /s)
  expect(await run('--profile', 'work', 'completion', 'bash')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown option '--profile'"),
  })
  const unknown = await run('--json', 'devcies')
  expect(JSON.parse(unknown.stderr)).toMatchObject({ error: { message: expect.stringContaining('devices') } })
})

it('completes options before the command', async () => {
  const { run } = await createCliUser(app)
  const complete = async (...words: string[]) =>
    (await run('__complete', 'bash', ...words)).stdout.split('\n').slice(0, -1)
  expect(await complete('--j')).toEqual(['--json'])
  expect(await complete('--profile', '')).toEqual(['default'])
  expect(await complete('--json', 'dev')).toEqual(['devices'])
  expect(await complete('--json', 'devices', 'r')).toEqual(['register', 'rename'])
})
