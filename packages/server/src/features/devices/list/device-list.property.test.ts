import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SeedDevice, seedDevices } from '../../../../test/factories/seed-devices.ts'
import { sharedTestApp } from '../../../../test/harness/app.ts'

const app = sharedTestApp()

interface Device extends SeedDevice {
  id: string
  name: string
}

const id = fc.uniqueArray(fc.integer({ min: 0, max: 0xff_ff }), { minLength: 40, maxLength: 40 }).map((numbers) =>
  numbers.map(
    (number) =>
      `80:00:00:00:00:00:${number
        .toString(16)
        .padStart(4, '0')
        .replace(/(..)(..)/, '$1:$2')}`,
  ),
)

/** Generates short strings with many ties: xa1, xA01, and xa001 are equal keys. */
const text = fc
  .array(fc.constantFrom('a', 'A', 'b', 'é', '0', '1', '2', '9', '-', ' '), { maxLength: 4 })
  .map((letters) => `x${letters.join('')}`)
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value)
const time = fc.integer({ min: 0, max: 3 }).map((number) => new Date(1_700_000_000_000 + number))

const fields = fc.record({
  name: text,
  platform: maybe(text),
  created: time,
  state: fc.constantFrom('active' as const, 'inactive' as const),
  lastReported: maybe(time),
  statusA: maybe(text),
  site: maybe(text),
  ssid: maybe(text),
  siteInLab: maybe(text),
})

type Fields = typeof fields extends fc.Arbitrary<infer Value> ? Value : never

const asDevice = (deviceId: string, { site, ssid, siteInLab, ...rest }: Fields): Device => ({
  ...rest,
  id: deviceId,
  attributes: { ...(site === null ? {} : { site }), ...(ssid === null ? {} : { net: { ssid } }) },
  overrides: siteInLab === null ? {} : { lab: { site: siteInLab } },
})

type Key = string | number | null

const orders: Record<string, { context?: string; key: (device: Device, fields: Fields) => Key }> = {
  name: { key: ({ name }) => name },
  id: { key: () => null },
  platform: { key: (_, { platform }) => platform },
  created: { key: (_, { created }) => created.getTime() },
  state: { key: (_, { state }) => state },
  lastReported: { key: (_, { lastReported }) => lastReported?.getTime() ?? null },
  '$svc.statusA': { key: (_, { statusA }) => statusA },
  site: { key: (_, { site }) => site },
  'net.ssid': { key: (_, { ssid }) => ssid },
  'attributes.site': { context: 'lab', key: (_, { site, siteInLab }) => siteInLab ?? site },
}

const collator = new Intl.Collator('und', { numeric: true, sensitivity: 'accent' })

function compareKeys(one: Key, other: Key): number {
  if (typeof one === 'string' && typeof other === 'string') return collator.compare(one, other)
  return Number(one) - Number(other)
}

function sorted(devices: Map<string, Fields>, order: string, direction: 'asc' | 'desc'): string[] {
  const sign = direction === 'asc' ? 1 : -1
  const keyed = Array.from(devices, ([deviceId, given]) => ({
    id: deviceId,
    key: orders[order]!.key(asDevice(deviceId, given), given),
  }))
  const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1)
  return keyed
    .sort((one, other) => {
      if ((one.key === null) !== (other.key === null)) return one.key === null ? 1 : -1
      return sign * ((one.key === null ? 0 : compareKeys(one.key, other.key)) || byId(one, other))
    })
    .map(({ id }) => id)
}

type Step = { kind: 'insert' | 'delete' | 'change'; which: number; fields: Fields }
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'change'),
  which: fc.nat(),
  fields,
})

interface Page {
  ids: string[]
  total: number
  hasMore: boolean
  last: string | null
  cursor: string | null
}

const document = `query ($size: Int, $from: Int, $after: ID, $last: String, $sort: String, $context: String) {
  login { devices(size: $size, from: $from, after: $after, last: $last, sort: $sort, context: $context) {
    items { id } hasMore last cursor total } } }`

async function page(variables: Record<string, unknown>): Promise<Page> {
  return toPage((await app.owner.data(document, variables)).login.devices)
}

const twoDocument = `query ($size: Int, $one: ID, $other: ID, $sort: String, $context: String) { login {
  one: devices(size: $size, after: $one, sort: $sort, context: $context) { items { id } hasMore last cursor total }
  other: devices(size: $size, after: $other, sort: $sort, context: $context) { items { id } hasMore last cursor total } } }`

async function pagesAfter(one: string, other: string, variables: Record<string, unknown>): Promise<Page[]> {
  const { login } = await app.owner.data(twoDocument, { ...variables, one, other })
  return [toPage(login.one), toPage(login.other)]
}

const toPage = ({ items, ...rest }: Omit<Page, 'ids'> & { items: { id: string }[] }): Page => ({
  ids: items.map(({ id: found }) => found),
  ...rest,
})

async function put(devices: readonly Device[]): Promise<void> {
  await seedDevices(app.db, app.owner.accountId, devices)
}

async function remove(ids: readonly string[]): Promise<void> {
  await app.db.deleteFrom('attribute_override').where('target_id', 'in', ids).execute()
  await app.db.deleteFrom('device').where('id', 'in', ids).execute()
}

async function reset(devices: Map<string, Fields>): Promise<void> {
  await app.db.deleteFrom('attribute_override').execute()
  await app.db.deleteFrom('device').execute()
  await put(Array.from(devices, ([deviceId, given]) => asDevice(deviceId, given)))
}

const population = fc
  .tuple(id, fc.array(fields, { maxLength: 12 }))
  .map(([ids, given]) => ({ ids, devices: new Map(given.map((each, index) => [ids[index]!, each])) }))
const anyOrder = fc.constantFrom(...Object.keys(orders))
const direction = fc.constantFrom('asc' as const, 'desc' as const)
const size = fc.integer({ min: 1, max: 5 })

test('returns the expected part of the sorted list for every position and cursor', async () => {
  await fc.assert(
    fc.asyncProperty(population, size, anyOrder, direction, async ({ devices }, pageSize, order, sortDirection) => {
      await reset(devices)
      const expected = sorted(devices, order, sortDirection)
      const sort = `${order} ${sortDirection}`
      const { context } = orders[order]!
      expect((await page({ sort, context, size: 1000 })).ids).toEqual(expected)
      for (let from = 1; from <= expected.length + 1; from++) {
        const found = await page({ sort, context, size: pageSize, from })
        expect(found.ids).toEqual(expected.slice(from - 1, from - 1 + pageSize))
        expect(found.hasMore).toBe(from - 1 + pageSize < expected.length)
        expect(found.total).toBe(expected.length)
        if (found.last === null || found.cursor === null) continue
        const next = expected.slice(from - 1 + pageSize, from - 1 + 2 * pageSize)
        const after = await pagesAfter(found.last, found.cursor, { sort, context, size: pageSize })
        expect(after.map(({ ids }) => ids)).toEqual([next, next])
      }
    }),
    { numRuns: 25 },
  )
})

test('returns every unchanged device exactly once while other devices are inserted, removed, or changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      population,
      size,
      anyOrder,
      direction,
      fc.constantFrom('after', 'last', 'cursor'),
      fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 12 }),
      async ({ ids, devices }, pageSize, order, sortDirection, by, steps) => {
        await reset(devices)
        const unchanged = new Set(devices.keys())
        const present = new Map(devices)
        const unusedIds = ids.slice(devices.size)
        const received: string[] = []
        let position: Record<string, string> = {}
        for (let pageIndex = 0; ; pageIndex++) {
          const found = await page({
            sort: `${order} ${sortDirection}`,
            context: orders[order]!.context,
            size: pageSize,
            ...position,
          })
          received.push(...found.ids)
          if (!found.hasMore) break
          position = by === 'cursor' ? { after: found.cursor! } : { [by]: found.last! }
          // A page after an ID begins at the current position of the device with that ID, so this device must not
          // change. A page after a cursor begins at the position that the cursor contains.
          const keptId = by === 'cursor' ? undefined : found.last!
          for (const each of steps[pageIndex] ?? []) await apply(each, { present, unchanged, unusedIds, keptId })
        }
        const times = Map.groupBy(received, (each) => each)
        for (const each of unchanged) expect(times.get(each)).toHaveLength(1)
      },
    ),
    { numRuns: 40 },
  )
})

interface PagingState {
  present: Map<string, Fields>
  unchanged: Set<string>
  unusedIds: string[]
  keptId: string | undefined
}

async function apply(
  { kind, which, fields: given }: Step,
  { present, unchanged, unusedIds, keptId }: PagingState,
): Promise<void> {
  const insertedId = kind === 'insert' ? unusedIds.shift() : undefined
  if (insertedId !== undefined) {
    present.set(insertedId, given)
    return put([asDevice(insertedId, given)])
  }
  const target = Array.from(present.keys())[which % Math.max(1, present.size)]
  if (target === undefined || target === keptId) return
  unchanged.delete(target)
  await remove([target])
  if (kind === 'delete') present.delete(target)
  else await put([asDevice(target, given)])
}
