import { parseCsv } from '@muster/fleet-csv/csv/rfc-4180'
import { describe, expect, it } from 'vitest'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'
import { query } from '../../../db/database.ts'

const app = sharedTestApp()

/** Creates a user with `count` events, in addition to the event for the access key. */
async function userWith({ count }: { count: number }): Promise<TestUser> {
  const user = await app.createUser()
  await query(
    app.db,
    `insert into event (account_id, type, targets) select $1, 'DEVICE_UPDATE', '[]' from generate_series(1, $2::int)`,
    [user.accountId, count],
  )
  return user
}

async function download(link: string): Promise<(string | null)[][]> {
  const rows = [...parseCsv(await (await fetch(link)).text())]
  return rows.slice(1).map((row) => ('cells' in row ? row.cells : []))
}

describe('downloading events with a filter in the filter language', () => {
  const filtered = async (user: TestUser, variables: Record<string, unknown>): Promise<string> => {
    const document = `query ($where: String, $view: ID, $context: String, $types: [EventType!]) { login {
      eventsUrl(where: $where, view: $view, context: $context, types: $types) } }`
    return (await user.data(document, variables)).login.eventsUrl
  }

  it('includes the same events as the list', async () => {
    const user = await userWith({ count: 50 })
    const { id } = (
      await user.data('mutation { registerDevice(name: "gate", attributes: { site: "oslo" }) { device { id } } }')
    ).registerDevice.device
    await user.data(`mutation { setAttribute(serviceId: "${id}", name: "site", value: "rome", context: "night") }`)
    for (const variables of [
      { where: 'type = DEVICE_REGISTER' },
      { where: 'device.site = oslo' },
      { where: 'device.site = rome', context: 'night' },
      { where: 'device.site:*', types: ['ATTRIBUTE_CHANGE'] },
      { where: 'target.name = nothing' },
    ]) {
      const list =
        'query ($where: String, $context: String, $types: [EventType!]) { login { events(where: $where, context: $context, types: $types) { items { id } } } }'
      const { login } = await user.data(list, variables)
      const records = await download(await filtered(user, variables))
      expect(
        records.map(([first]) => first),
        variables.where,
      ).toEqual(login.events.items.map((event: { id: string }) => event.id))
    }
  })

  it('finds a match far beyond the events that one statement examines', async () => {
    const user = await app.createUser()
    await query(
      app.db,
      `insert into event (account_id, type, targets, state) select $1, 'DEVICE_STATE', '[]', case when i % 20000 = 1 then 'active' end
       from generate_series(1, 45000) as i`,
      [user.accountId],
    )
    const records = await download(await filtered(user, { where: 'state = active' }))
    expect(records).toHaveLength(3)
    expect(await download(await filtered(user, { where: 'type = DEVICE_STATE AND NOT state:*' }))).toHaveLength(44_997)
  })

  it("uses the view's filter from when the link was created", async () => {
    const user = await userWith({ count: 3 })
    const create = `mutation { createView(name: "v", kind: EVENTS, where: "type = DEVICE_UPDATE AND timestamp > -1h") { id } }`
    const view = (await user.data(create)).createView.id
    const link = await filtered(user, { view })
    await user.data(`mutation { updateView(id: "${view}", where: "type = DEVICE_STATE") { id } }`)
    expect(await download(link)).toHaveLength(3)
    await user.data(`mutation { deleteView(id: "${view}") }`)
    expect(await download(link)).toHaveLength(3)
    const { login } = await user.data('{ login { events(types: DOWNLOAD_LINK_CREATE) { items { data } } } }')
    expect(login.events.items[0].data.filters).toEqual([{ minDate: expect.any(String), view }])
    const { errors } = await user.query(`{ login { eventsUrl(view: "${view}") } }`)
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  })
})
