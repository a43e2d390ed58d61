import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AttributeClient, attributeClient, type Outcome } from '../../../test/api/attributes.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'

const app = sharedTestApp()

type Place = 'user' | 'device' | 'service'
type Entry = [name: string, value: string | null]
interface Write {
  on: Place
  context: string | null
  entries: Entry[]
  nested: boolean
}
type Step = { one: Write } | { all: Write } | { many: Write[] }

type Values = Map<string, string>

/** Stores the values of each target, keyed by context, with '' for the base values. */
class Model {
  readonly places: Record<Place, Map<string, Values>> = { user: new Map(), device: new Map(), service: new Map() }

  write({ on, context, entries }: Write): string | undefined {
    const code = this.#findError(on, entries)
    if (code !== undefined) return code
    const values = this.#values(on, context ?? '')
    for (const [name, value] of entries) {
      if (value !== null) values.set(name, value)
      else
        for (const removed of [...values.keys()]) if (removed === name || top(removed) === name) values.delete(removed)
    }
    return undefined
  }

  #findError(on: Place, entries: Entry[]): string | undefined {
    const tops = Map.groupBy(entries, ([name]) => top(name))
    for (const ofTop of tops.values()) {
      if (new Set(ofTop.map(([name]) => isGroup(name))).size > 1) return 'BAD_USER_INPUT'
    }
    if (entries.some(([name, value]) => !isAllowed(on, name, value))) return 'RESERVED_ATTRIBUTE'
    const existing = [...this.places[on].values()].flatMap((values) => [...values.keys()])
    const clashes = (name: string) =>
      existing.some((other) => top(other) === top(name) && isGroup(other) !== isGroup(name))
    return entries.some(([name, value]) => value !== null && clashes(name)) ? 'CONFLICT' : undefined
  }

  #values(on: Place, context: string): Values {
    const found = this.places[on].get(context) ?? new Map()
    this.places[on].set(context, found)
    return found
  }

  read(on: Place, context: string | null): Values {
    return new Map([
      ...(this.places[on].get('') ?? []),
      ...(context === null ? [] : (this.places[on].get(context) ?? [])),
    ])
  }

  contexts(on: Place): string[] {
    return [...this.places[on]]
      .flatMap(([context, values]) => (context === '' || values.size === 0 ? [] : [context]))
      .sort()
  }
}

const top = (name: string): string => name.split('.')[0]!
const isGroup = (name: string): boolean => name.includes('.')

function isAllowed(on: Place, name: string, value: string | null): boolean {
  if (!name.startsWith('$')) return true
  if (on === 'device' && /^\$svc\.(category|status)[A-E]$/.test(name)) return true
  if (on === 'user' && name.startsWith('$ui.')) return true
  return value === null && ((on === 'device' && name === '$svc') || (on === 'user' && name === '$ui'))
}

const names = [
  'a',
  'b',
  'a.x',
  'a.y',
  'a.b.c',
  'b.x',
  '__proto__',
  '__proto__.x',
  'constructor',
  'constructor.name',
  '12',
]
const reservedNames = ['$svc.categoryA', '$svc.statusE', '$svc', '$ui.label', '$ui', '$other', '$svc.categoryF']
const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, fc.constantFrom(...reservedNames))
const value = fc.constantFrom(null, '', 'x', 'y', 'Ø "\\\n\u0001\u{1f600}')
const entry: fc.Arbitrary<Entry> = fc.tuple(name, value)
const place = fc.constantFrom<Place[]>('device', 'device', 'service', 'user')
// The server rejects JSON with a member named __proto__, but setAttribute accepts __proto__ as a name.
const inObject = entry.filter(([name]) => top(name) !== '__proto__')
const writeOf = (entries: fc.Arbitrary<Entry[]>): fc.Arbitrary<Write> =>
  fc.record({ on: place, context: fc.constantFrom(null, 'day', 'night'), entries, nested: fc.boolean() })
const several = writeOf(fc.uniqueArray(inObject, { minLength: 1, maxLength: 4, selector: ([name]) => name }))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ one: writeOf(fc.tuple(entry)) }) },
  { weight: 2, arbitrary: fc.record({ all: several }) },
  fc.record({ many: fc.array(several, { minLength: 1, maxLength: 5 }) }),
)

const plain = (): Record<string, unknown> => Object.create(null)

/**
 * Converts entries to an object. Nests groups unless `nested` is false. If an entry has the name of a group, the names
 * in the group stay dotted. An object cannot have two members with the same name.
 */
function tree(entries: Iterable<[string, unknown]>, nested = true): Record<string, unknown> {
  const all = [...entries]
  const result = plain()
  for (const [name, value] of all) {
    const group = top(name)
    if (!nested || !isGroup(name) || all.some(([other]) => other === group)) {
      result[name] = value
    } else {
      result[group] ??= plain()
      ;(result[group] as Record<string, unknown>)[name.slice(group.length + 1)] = value
    }
  }
  return result
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

async function run(client: AttributeClient, model: Model, ids: Record<Place, string>, next: Step): Promise<void> {
  if ('many' in next) {
    const items = next.many.map(({ on, context, entries, nested }) => {
      return { serviceId: ids[on], context, attributes: tree(entries, nested) }
    })
    const { data, errors } = await client.setMany(items)
    expect(errors).toBeUndefined()
    const expected = next.many.map((write) => {
      const code = model.write(write) ?? null
      const attributes = code === null ? asJson(tree(model.read(write.on, write.context))) : null
      return { serviceId: ids[write.on], code, attributes, message: code === null ? null : expect.any(String) }
    })
    expect(data).toEqual({ setAttributesMany: expected })
    return
  }
  const write = 'one' in next ? next.one : next.all
  const serviceId = ids[write.on]
  const [[name, value]] = write.entries as [Entry]
  const outcome: Outcome<unknown> =
    'one' in next
      ? await client.set(name, value, serviceId, write.context)
      : await client.setAll(tree(write.entries, write.nested), serviceId, write.context)
  const code = model.write(write)
  const values = model.read(write.on, write.context)
  const result = 'one' in next ? (values.get(name) ?? null) : asJson(tree(values))
  expect(outcome).toEqual(code === undefined ? { result } : { code, message: expect.any(String) })
}

/** Computes the current values from the events and checks the old value in each event. */
async function replay(client: AttributeClient): Promise<Record<string, string>> {
  const state: Record<string, string> = {}
  for (const { target, data } of await client.changes()) {
    expect(Object.keys(data.changes)).not.toEqual([])
    for (const [name, change] of Object.entries(data.changes)) {
      const key = JSON.stringify([target[0]!.kind, data.context ?? '', name])
      expect(change.old).toBe(state[key] ?? null)
      expect(change.new).not.toBe(change.old)
      if (change.new === null) delete state[key]
      else state[key] = change.new
    }
  }
  return state
}

test('produces the same attributes and events as a simple model after any sequence of writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const user = await app.createUser()
      const client = attributeClient(user)
      const device = await client.addDevice()
      const ids = { user: user.accountId, device, service: await client.addService(device) }
      const model = new Model()
      for (const next of steps) await run(client, model, ids, next)

      const state: Record<string, string> = {}
      for (const on of ['user', 'device', 'service'] as const) {
        const contexts = [null, 'day', 'night', 'unused']
        expect(await client.readEach(ids[on], contexts)).toEqual({
          attributes: contexts.map((context) => asJson(tree(model.read(on, context)))),
          contexts: model.contexts(on),
        })
        for (const [context, values] of model.places[on]) {
          for (const [name, value] of values) state[JSON.stringify([on, context, name])] = value
        }
      }
      expect(await replay(client)).toEqual(state)
    }),
    { numRuns: 25 },
  )
})
