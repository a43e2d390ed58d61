import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createUserWithDevices } from '../../../test/api/device-lists.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()

interface Completion {
  text: string
  label: string | null
  kind: string
  from: number
  to: number
  count: number | null
}

const document = `query ($where: String!, $kind: FilterKind!, $cursor: Int!) { login {
  checkFilter(where: $where, kind: $kind, cursor: $cursor) { completions { text label kind from to count } } } }`

const complete = async (user: TestUser, where: string, kind = 'DEVICES'): Promise<Completion[]> =>
  (await user.data(document, { where, kind, cursor: where.length })).login.checkFilter.completions

const stringsAt = async (user: TestUser, where: string, kind?: string): Promise<string[]> =>
  (await complete(user, where, kind)).map(({ text }) => text)

it('completes contexts, most used first, and then names in a context', async () => {
  const { user } = await createUserWithDevices(app, [
    { name: 'a', attributes: { site: 'oslo' }, overrides: { night: { site: 'rome' }, 'week end': { rack: '1' } } },
    { name: 'b', overrides: { night: { site: 'riga' } } },
  ])
  expect(await complete(user, 'in(')).toEqual([
    { text: '"night"', label: null, kind: 'value', from: 3, to: 3, count: 2 },
    { text: '"week end"', label: null, kind: 'value', from: 3, to: 3, count: 1 },
  ])
  expect(await stringsAt(user, 'override("We')).toEqual(['"week end"'])
  expect(await complete(user, 'in("n')).toMatchObject([{ text: '"night"', from: 3, to: 5 }])
  expect(await stringsAt(user, 'in("night", si')).toContain('site')
  expect(await stringsAt(user, 'base(si')).toContain('site')
  const other = await app.createUser()
  expect(await stringsAt(other, 'in(')).toEqual([])
})

it('completes views of the same kind by the beginning of their names or IDs', async () => {
  const user = await app.createUser()
  const create = async (name: string, kind: string, where: string): Promise<string> =>
    (
      await user.data(
        'mutation ($name: String!, $kind: FilterKind!, $where: String) { createView(name: $name, kind: $kind, where: $where) { id } }',
        { name, kind, where },
      )
    ).createView.id
  const gates = await create('Gates', 'DEVICES', 'name:gate')
  const pumps = await create('Pumps', 'DEVICES', 'name:pump')
  const states = await create('States', 'EVENTS', 'state:*')
  expect(await complete(user, 'view(')).toEqual(
    [
      [gates, 'Gates'],
      [pumps, 'Pumps'],
    ].map(([id, label]) => ({ text: id, label, kind: 'view', from: 5, to: 5, count: null })),
  )
  expect(await stringsAt(user, 'view("pu')).toEqual([pumps])
  expect(await stringsAt(user, `view("${gates.slice(0, 20)}`)).toEqual([gates])
  expect(await stringsAt(user, 'view(', 'EVENTS')).toEqual([states])
  expect(await stringsAt(user, 'view(', 'SERVICES')).toEqual([])
  expect(await stringsAt(await app.createUser(), 'view(')).toEqual([])
})

it('completes the titles of services with those of existing services', async () => {
  const { user, ids } = await createUserWithDevices(app, [{ name: 'a' }])
  await sql`insert into service (account_id, device_id, id, name, application)
    values (${user.accountId}, ${ids[0]}, 's1', 'shell', 28)`.execute(app.db)
  expect(await stringsAt(user, 'services.title = ')).toEqual(['SSH'])
  expect(await stringsAt(user, 'title = ', 'SERVICES')).toEqual(['SSH'])
})

it('completes a long value with a pattern, because the sample contains only its beginning', async () => {
  const beginning = 'x*'.repeat(100)
  const { user } = await createUserWithDevices(app, [{ name: 'a', attributes: { note: `${beginning}1` } }])
  const find = async (comparison: string): Promise<unknown> => {
    const [text] = await stringsAt(user, comparison)
    const { login } = await user.data('query ($where: String) { login { devices(where: $where) { total } } }', {
      where: comparison + text,
    })
    return login.devices.total
  }
  expect(await stringsAt(user, 'note = ')).toEqual([`"${'x\\*'.repeat(100)}*"`])
  for (const comparison of ['note = ', 'note:', 'note >= ', 'note <=']) expect(await find(comparison)).toBe(1)
})

it('adds the prefix "attributes." to attributes that have the name of a field', async () => {
  const { user } = await createUserWithDevices(app, [
    { name: 'a', attributes: { state: 'x', statusA: 'own', services: 'x', attributes: { site: 'x' }, sta: 'x' } },
  ])
  const attributesAt = async (where: string): Promise<string[]> =>
    (await complete(user, where)).filter(({ count }) => count !== null).map(({ text }) => text)
  expect(await attributesAt('sta')).toEqual(['sta', 'attributes.state', 'attributes.statusA'])
  expect(await attributesAt('attributes.stat')).toEqual(['attributes.state', 'attributes.statusA'])
  expect(await attributesAt('base(s')).toEqual([
    ...['attributes.services', 'sta', 'attributes.state', 'attributes.statusA'],
  ])
  expect(await attributesAt('attr')).toEqual(['attributes.attributes.site'])
})
