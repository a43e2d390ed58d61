import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { sharedTestApp, startTestApp, type TestUser } from '../../../../test/harness/app.ts'
import { query } from '../../../db/database.ts'
import { updateAccessKey } from '../../access-keys/access-keys.ts'
import { newId } from '../../devices/device-id.ts'

const app = sharedTestApp()

interface Seed {
  count: number
  name?: string
  data?: object
}

/** Creates a user with `count` events, in addition to the event for the access key. */
async function userWith({ count, name = 'lamp', data = {} }: Seed): Promise<TestUser> {
  const user = await app.createUser()
  const targets = [{ id: user.accountId, name, kind: 'user' }]
  await query(
    app.db,
    `insert into event (account_id, type, device_id, actor_id, targets, state, data)
     select $1, 'DEVICE_UPDATE', '80:00:00:00:00:00:00:01', $1, $2::jsonb, 'active', $3::jsonb from generate_series(1, $4::int)`,
    [user.accountId, JSON.stringify(targets), JSON.stringify(data), count],
  )
  return user
}

const linkOf = async (user: TestUser, variables: Record<string, unknown> = {}): Promise<string> =>
  (
    await user.data(
      'query ($types: [EventType!], $deviceId: [String!]) { login { eventsUrl(types: $types, deviceId: $deviceId) } }',
      variables,
    )
  ).login.eventsUrl

function recordsOf(csv: string): string[][] {
  const records: string[][] = [[]]
  for (const [, separator, quoted, plain] of csv.matchAll(/(^|[,\n])(?:"((?:[^"]|"")*)"|([^",\n]*))/g)) {
    if (separator === '\n') records.push([])
    records.at(-1)!.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
  }
  return records.slice(1).filter((record) => record.length > 1)
}

const download = async (link: string): Promise<string[][]> => recordsOf(await (await fetch(link)).text())

interface ListedEvents {
  hasMore: boolean
  cursor: string
  items: {
    id: string
    timestamp: string
    type: string
    actor: { id: string }
    source: { kind: string; id: string | null; name: string | null }
    target: { name: string }[]
    state: string | null
    data: object
  }[]
}

async function readPage(user: TestUser, after: string | null): Promise<ListedEvents> {
  const document = `query ($after: ID) { login { events(size: 1000, after: $after) {
    hasMore cursor items { id timestamp type actor { id } source { kind id name } target { name } state data } } } }`
  return (await user.data(document, { after })).login.events
}

const toRecord = ({
  id,
  timestamp,
  type,
  actor,
  source,
  target,
  state,
  data,
}: ListedEvents['items'][number]): string[] => [
  id,
  timestamp,
  type,
  type === 'DEVICE_UPDATE' ? '80:00:00:00:00:00:00:01' : '',
  actor.id,
  target.map(({ name }) => name).join('; '),
  state ?? '',
  JSON.stringify(data),
  source.kind,
  source.id ?? '',
  source.name ?? '',
]

it('downloads the same events as the list', async () => {
  const user = await userWith({ count: 2_500, data: { changes: { note: { old: null, new: 'a, "b"\nc' } } } })
  const link = await linkOf(user)
  const listed: string[][] = []
  let page = await readPage(user, null)
  for (;;) {
    listed.push(...page.items.map(toRecord))
    if (!page.hasMore) break
    page = await readPage(user, page.cursor)
  }
  // The list also contains the events for the access key and the link.
  expect(listed).toHaveLength(2_502)
  expect(await download(link)).toEqual(listed)
})

it('downloads all events, newest first, even if many are large', async () => {
  const user = await userWith({ count: 120, data: { text: 'x'.repeat(100_000) } })
  await query(
    app.db,
    `insert into event (account_id, type, targets) select $1, 'DEVICE_UPDATE', '[]' from generate_series(1, 1200)`,
    [user.accountId],
  )
  const link = await linkOf(user)
  const { rows } = await sql<{ id: string }>`
    select id::text from event where account_id = ${user.accountId} order by event.id desc`.execute(app.db)
  const records = await download(link)
  expect(records.map(([id]) => id)).toEqual(rows.map(({ id }) => id))
  expect(records.filter(([, , , , , , , data]) => data!.length > 100_000)).toHaveLength(120)
})

it('filters the download by event type and up to 1,000 device IDs', async () => {
  const user = await userWith({ count: 3 })
  const many = Array.from({ length: 999 }, newId)
  expect(await download(await linkOf(user, { deviceId: [...many, '80:00:00:00:00:00:00:01'] }))).toHaveLength(3)
  expect(await download(await linkOf(user, { deviceId: many }))).toHaveLength(0)
  expect(await download(await linkOf(user, { deviceId: [] }))).toHaveLength(0)
  expect(await download(await linkOf(user, { types: ['ACCESS_KEY_CREATE'] }))).toHaveLength(1)
  expect(await download(await linkOf(user, { types: [] }))).toHaveLength(0)
})

it.each(['=1+1', '+1+1', '-A1', '@SUM(A1)', '\tx', '\rx', '=cmd|"/c calc"!A1, b'])(
  'escapes a cell that a spreadsheet would run as a formula: %j',
  async (name) => {
    const [, record] = await download(await linkOf(await userWith({ count: 1, name })))
    expect(record?.[5]).toBe(`'${name}`)
  },
)

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Returns the base64url character that differs from the given one only in the last bit, which may be unused. Returns
 * `B` for a character outside base64url.
 */
const similarLetter = (letter: string): string => LETTERS[Math.max(0, LETTERS.indexOf(letter)) ^ 1]!

it('rejects a link if any character is changed or another server signed it', async () => {
  const link = await linkOf(await userWith({ count: 1 }), { deviceId: '80:00:00:00:00:00:00:01' })
  const { searchParams } = new URL(link)
  const token = searchParams.get('link')!
  const others = [`${token}A`, `${token}.`, `${token}=`, `!${token}`, token.toLowerCase(), '', '.', '..']
  for (let at = 0; at < token.length; at++) {
    const other = similarLetter(token[at]!)
    others.push(token.slice(0, at) + other + token.slice(at + 1), token.slice(0, at) + token.slice(at + 1))
  }
  const path = `${app.url}/events/v1.csv`
  const accepted: string[] = []
  for (const other of others) {
    const { status } = await fetch(`${path}?link=${encodeURIComponent(other)}`)
    if (status !== 401) accepted.push(`${status}: ${other}`)
  }
  expect(accepted).toEqual([])
  expect((await fetch(link)).status).toBe(200)

  const otherServer = await startTestApp()
  try {
    expect((await fetch(`${otherServer.url}/events/v1.csv?link=${token}`)).status).toBe(401)
  } finally {
    await otherServer.close()
  }
})

it('returns an error that must not be cached if the link is invalid', async () => {
  const link = await linkOf(await userWith({ count: 1 }))
  for (const wrong of [`${link}A`, `${link}&link=b`, `${app.url}/events/v1.csv`]) {
    const response = await fetch(wrong)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Signature')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED', reason: 'download-link' } }],
    })
  }
})

it('aborts a download when its access key is disabled', async () => {
  const user = await userWith({ count: 20_000, data: { text: 'x'.repeat(4_000) } })
  const request = get(await linkOf(user))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  // The client and server buffers store only part of the paused response, which is larger than 80 MB.
  response.pause()
  const viewer = { accountId: user.accountId, email: user.email, readOnly: false }
  await updateAccessKey({ db: app.db, viewer }, user.keyId, { enabled: false })
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await expect(once(response.resume(), 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(bytes).toBeLessThan(80_000_000)
})

interface LinkEvent {
  actor: { id: string } | null
  source: { kind: string; id: string | null }
  data: { links: number; expires: string; filters: Record<string, unknown>[] }
}

async function linkEvents(user: TestUser): Promise<LinkEvent[]> {
  const document =
    '{ login { events(types: DOWNLOAD_LINK_CREATE) { items { actor { id } source { kind id } data } } } }'
  return (await user.data(document)).login.events.items
}

it('records a link as an event with its filter and the requesting access key', async () => {
  const user = await userWith({ count: 0 })
  await linkOf(user, { types: ['DEVICE_UPDATE'], deviceId: ['80:00:00:00:00:00:00:01'] })
  const [event, ...others] = await linkEvents(user)
  expect(others).toEqual([])
  expect(event).toMatchObject({
    actor: { id: user.accountId },
    source: { kind: 'accessKey', id: user.keyId },
    data: {
      links: 1,
      expires: expect.any(String),
      filters: [{ types: ['DEVICE_UPDATE'], deviceId: ['80:00:00:00:00:00:00:01'], minDate: expect.any(String) }],
    },
  })
  expect(JSON.stringify(event)).not.toContain('link=')
})

it('records all links of a document as one event of limited size', async () => {
  const user = await userWith({ count: 0 })
  const deviceId = Array.from({ length: 900 }, newId)
  const links = Array.from({ length: 15 }, (_, index) => `l${index}: eventsUrl(deviceId: $ids)`).join(' ')
  await user.data(`query ($ids: [String!]) { login { ${links} } other: login { eventsUrl } }`, { ids: deviceId })
  const events = await linkEvents(user)
  expect(events).toMatchObject([{ data: { links: 16 } }])
  expect(events[0]!.data.filters).toHaveLength(10)
  expect(events[0]!.data.filters[0]).toEqual({ minDate: expect.any(String), devices: 900 })
})

it('records no event if the filter is rejected', async () => {
  const user = await userWith({ count: 0 })
  const { errors } = await user.query(
    '{ login { eventsUrl(minDate: "2026-02-02T00:00:00Z", maxDate: "2026-02-01T00:00:00Z") } }',
  )
  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  expect(await linkEvents(user)).toEqual([])
})
