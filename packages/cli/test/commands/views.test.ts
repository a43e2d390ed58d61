import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { addDevices, createCliUser } from '../harness/cli-user.ts'

const app = sharedTestApp()

it('saves, changes, uses, and deletes views', async () => {
  const { user, run, lines } = await createCliUser(app)
  await addDevices(user, ['a', 'b'], { site: 'oslo' })
  await addDevices(user, ['c'], { site: 'rome' })
  const [view] = await lines(
    ...[
      'views',
      'create',
      'Oslo',
      '--where',
      'site = oslo',
      '--sort',
      '-name',
      '--columns',
      'name,site',
      '--label',
      'north',
    ],
  )
  expect(view).toMatchObject({ name: 'Oslo', where: 'attributes.site = oslo', sortBy: ['-name'], labels: ['north'] })
  expect((await run('devices', 'list', '--view', 'oslo')).stdout).toBe('name  site\nb     oslo\na     oslo\n')
  const narrowed = await lines('devices', 'list', '--view', view.id, '--where', 'name = a')
  expect(narrowed).toMatchObject([{ name: 'a' }])
  expect(await lines('devices', 'facets', 'site', '--view', 'Oslo')).toMatchObject([{ total: 2 }])
  expect(await lines('views', 'list', '--label', 'south')).toEqual([])

  const csv = 'name,site\nb,oslo\na,oslo\n'
  expect(await run('export', '--view', 'oslo')).toMatchObject({ code: 0, stdout: csv })
  expect((await run('export', '--view', 'Oslo', '--where', 'name = a')).stdout).toBe('name,site\na,oslo\n')
  expect((await run('export', '--where', 'site = rome')).stdout).toBe(
    'name,hardwareId,platform,services,site\nc,,,,rome\n',
  )
  await run('attributes', 'set', 'c', 'site=oslo', '--context', 'night')
  expect((await run('export', '--view', 'Oslo', '--context', 'night', '--where', 'name = c')).stdout).toBe(
    'name,site\nc,oslo\n',
  )
  expect((await run('export', '--context', 'night', '--where', 'site = oslo AND name = c')).stdout).toBe(
    'name,hardwareId,platform,services,site\nc,,,,rome\n',
  )
  expect(await run('export', '--view', 'Oslo', '--raw')).toMatchObject({ code: 2, stdout: '' })
  expect(await run('export', '--view', 'missing')).toMatchObject({ code: 4, stdout: '' })
  expect(await run('export', '--where', 'sitte = 1')).toMatchObject({ code: 1 })

  await run('views', 'update', 'Oslo', '--columns', 'name,site=Location')
  expect((await run('export', '--view', 'Oslo')).stdout).toBe('name,Location\nb,oslo\na,oslo\n')
  expect((await run('views', 'list', '--columns', 'columns')).stdout).toBe('columns\nname,site=Location\n')
  await run('views', 'update', 'Oslo', '--name', 'All', '--where', '', '--sort', 'name')
  expect(await lines('views', 'list')).toMatchObject([{ name: 'All', where: null, version: 3, isShared: true }])
  await run('views', 'update', 'all', '--no-shared')
  expect(await lines('views', 'list', '--kind', 'devices')).toMatchObject([{ name: 'All', isShared: false }])
  expect(await lines('views', 'list', '--kind', 'events')).toEqual([])
  expect(await lines('devices', 'list', '--view', 'all')).toHaveLength(3)

  expect(await run('devices', 'list', '--view', 'Oslo')).toMatchObject({ code: 4, stdout: '' })
  expect(await run('views', 'create', 'ALL')).toMatchObject({ code: 7 })
  expect(await run('views', 'create', 'x', '--where', 'sitte = 1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Did you mean "site"?'),
  })
  for (const command of ['create x', 'update All'])
    for (const option of ['--columns name,sitte', '--sort name,-sitte'])
      expect(await run('views', ...command.split(' '), ...option.split(' '))).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Unknown attribute "sitte". Did you mean "site"?'),
      })
  expect(await run('views', 'delete', 'All', '--yes')).toMatchObject({ code: 0 })
  expect(await run('views', 'delete', 'All', '--yes')).toMatchObject({ code: 4 })
})

it('applies the columns of views to services and events', async () => {
  const { user, run } = await createCliUser(app)
  await addDevices(user, ['gate'])
  await run('services', 'add', 'gate', 'ssh')
  await run('services', 'add', 'gate', 'web=http')
  await run('views', 'create', 'Ports', '--kind', 'services', '--columns', 'device,port', '--sort', '-port')
  expect((await run('services', 'list', '--view', 'ports')).stdout).toBe('device  port\ngate    80\ngate    22\n')
  await run('views', 'create', 'Added', '--kind', 'events', '--where', 'type = SERVICE_ADD', '--columns', 'type')
  expect((await run('events', 'list', '--view', 'added')).stdout).toBe('type\nSERVICE_ADD\nSERVICE_ADD\n')
  expect(await run('views', 'create', 'x', '--kind', 'events', '--columns', 'tpye')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean "type"?'),
  })
})

it('shows columns of a view without values if their names are unknown', async () => {
  const { user, run } = await createCliUser(app)
  await addDevices(user, ['gate'])
  await run('services', 'add', 'gate', 'ssh')
  for (const [kind, first, row] of [
    ['devices', 'name', 'gate'],
    ['services', 'name', 'ssh'],
    ['events', 'type', 'VIEW_CREATE'],
  ] as const) {
    const document = `mutation ($kind: FilterKind!, $name: String!, $first: String!) {
      createView(kind: $kind, name: $name, columns: [{ name: $first }, { name: "later" }]) { id } }`
    await user.data(document, { kind: kind.toUpperCase(), name: kind, first })
    const shown = await run(kind, 'list', '--view', kind, '--csv', '--limit', '1')
    expect(shown).toMatchObject({ code: 0, stdout: `${first},later\n${row},\n` })
    expect(await run(kind, 'list', '--view', kind, '--columns', 'later')).toMatchObject({ code: 2, stdout: '' })
  }
})

it('reports that a view lists objects of another kind, whatever its columns and sort keys are', async () => {
  const { run } = await createCliUser(app)
  await run('views', 'create', 'Names', '--columns', 'name,platform')
  await run('views', 'create', 'Ports', '--kind', 'services', '--columns', 'port', '--sort', 'port')
  await run('views', 'create', 'Types', '--kind', 'events', '--columns', 'type')
  for (const [kind, view] of [
    ['events', 'names'],
    ['devices', 'types'],
    ['devices', 'ports'],
    ['services', 'types'],
  ] as const)
    expect(await run(kind, 'list', '--view', view)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`use a view that lists ${kind}`),
    })
})

it('exports no header if the filter is invalid', async () => {
  const { user, run } = await createCliUser(app)
  expect(await run('export', '--where', 'sitte = oslo')).toMatchObject({ code: 1, stdout: '' })
  await addDevices(user, ['a'])
  const found = await run('export', '--where', 'name = b')
  expect(found).toMatchObject({ code: 0, stdout: 'name,hardwareId,platform,services\n' })
})
