import fc from 'fast-check'
import { newId } from '../../src/features/devices/device-id.ts'
import type { ModelDevice, ModelService } from './model.ts'

/** The time at which requests start in the tests. Relative times in filters count from this time. */
export const now = Date.parse('2026-11-20T12:00:00Z')

/**
 * Generates strings, including strings that sort as equal, that differ only in case, or that contain characters that
 * are special to SQL or filters.
 */
const text = fc.constantFrom(
  ...['oslo', 'Oslo', 'os', 'bergen', 'a1', 'A01', 'a001', '50%_\\', 'x"y', '', 'Σίσυφος', 'ß', 'two words', '*'],
)
/** Generates numbers, versions, and strings that resemble them. */
const number = fc.constantFrom(
  ...[
    '-3',
    '-5',
    '-10',
    '0.8',
    '+2',
    '1e2',
    '1e400',
    '010',
    '10',
    '10.0',
    '2.9',
    '2.10',
    '2.10.1',
    '2.10-rc1',
    ' 5',
    '٣',
  ],
  `1${'0'.repeat(40)}`,
)
const time = fc.constantFrom(
  ...[
    '2026-11-20',
    '2026-11-19T12:00:00Z',
    '2026-11-20T08:30:00+02:00',
    '2026-02-30',
    '2026-11-20T08:30:00',
    'yesterday',
  ],
)
const value = fc.oneof(text, number, time)
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(arbitrary, { freq: 2 })

/** Generates attributes. `net` is a group on some devices and a value on others. */
const attributes: fc.Arbitrary<ModelDevice['attributes']> = fc
  .record({
    site: maybe(value),
    load: maybe(number),
    ratio: maybe(fc.constantFrom('0.75', '0.8', '0.80', '-0.25', '1e1', 'x')),
    seen: maybe(time),
    rack: maybe(value),
    ssid: maybe(value),
    net: fc.boolean(),
  })
  .map(({ site, load, ratio, seen, rack, ssid, net }) => ({
    ...(site !== null && { site }),
    ...(load !== null && { load }),
    ...(ratio !== null && { ratio }),
    ...(seen !== null && { seen }),
    ...(rack !== null && { 'rack row': rack }),
    ...(ssid !== null && { net: net ? ssid : { ssid } }),
  }))

const instant = fc.integer({ min: -3, max: 3 }).map((days) => now + days * 86_400_000)

const service: fc.Arbitrary<ModelService> = fc
  .record({
    name: fc.constantFrom('ssh', 'web', 'SSH 2'),
    type: fc.constantFrom(
      { application: 28, title: 'SSH', protocol: 'tcp' },
      { application: 2, title: 'UDP', protocol: 'udp' },
    ),
    host: maybe(text),
    port: maybe(fc.constantFrom(22, 80, 8443)),
    enabled: fc.boolean(),
    state: maybe(fc.constantFrom('active', 'inactive')),
    attributes,
  })
  .map(({ type, ...rest }) => ({ id: newId(), ...type, ...rest }))

const device: fc.Arbitrary<ModelDevice> = fc
  .record({
    name: text.filter((name) => name !== ''),
    hardwareId: fc.boolean(),
    platform: maybe(text),
    created: instant,
    state: fc.constantFrom('active', 'inactive'),
    lastReported: maybe(instant),
    statusA: maybe(value),
    attributes,
    overrides: maybe(attributes),
    statusInNight: maybe(value),
    services: fc.array(service, { maxLength: 3 }),
  })
  .map(({ hardwareId, statusA, attributes: base, overrides, statusInNight, ...rest }): ModelDevice => {
    const id = newId()
    // Remove overrides that conflict with base values, because a name on one target is either a group or a value.
    const night = overrides === null ? {} : withKindsOf(overrides, base)
    const inNight: ModelDevice['attributes'] = {
      ...night,
      ...(statusInNight !== null && { $svc: { statusA: statusInNight } }),
    }
    return {
      ...rest,
      id,
      hardwareId: hardwareId ? `HW-${id.slice(-11)}` : null,
      attributes: { ...base, ...(statusA !== null && { $svc: { statusA } }) },
      overrides: Object.keys(inNight).length === 0 ? {} : { night: inNight },
    }
  })

function withKindsOf(overrides: ModelDevice['attributes'], base: ModelDevice['attributes']): ModelDevice['attributes'] {
  if (base.net === undefined || overrides.net === undefined) return overrides
  if (typeof base.net === typeof overrides.net) return overrides
  const { net, ...rest } = overrides
  return rest
}

export const fleet: fc.Arbitrary<ModelDevice[]> = fc.array(device, { minLength: 20, maxLength: 40 })

const quoted = value.map((each) => `"${each.replaceAll(/["\\*]/g, '\\$&')}"`)
const pattern = fc.constantFrom('"o*"', '"*o"', 'O*L*', '"*%*"', '"?*"', '"*1"', '"Σ*"')
const order = fc.constantFrom('<', '<=', '>', '>=')
const attribute = fc.constantFrom(
  ...['site', 'load', 'seen', 'attributes."rack row"', 'net', 'net.ssid', 'statusA', '$svc.statusA'],
  ...['base(site)', 'in("night", site)', 'override("night", site)', 'override("night", statusA)', 'base(net.ssid)'],
)
const join = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''))

const onAttribute = fc.oneof(
  join(attribute, fc.constantFrom(' = ', ' != ', ':'), fc.oneof(quoted, pattern)),
  join(attribute, ' = (', quoted, ' OR ', quoted, ')'),
  join(attribute, ':(', quoted, fc.constantFrom(' OR ', ' '), quoted, ')'),
  join(attribute, order, fc.oneof(quoted, fc.constantFrom('-5', '10', '100', '-2d', 'now', '+1d', '2026-11-20'))),
  join('ratio', order, fc.constantFrom('0.8', '-0.25', '10')),
  fc.constantFrom('site:*', 'net:*', 'net.ssid:*', 'statusA:*', '$svc:*', 'override("night", net):*', 'base(site):*'),
)

const onField = fc.oneof(
  join(
    fc.constantFrom('name', 'hardwareId', 'platform'),
    fc.constantFrom(' = ', ' != ', ':'),
    fc.oneof(quoted, pattern),
  ),
  join(fc.constantFrom('name', 'hardwareId', 'platform'), order, quoted),
  join(
    fc.constantFrom('created', 'lastReported'),
    order,
    fc.constantFrom('-2d', 'now', '+1d', '2026-11-20', '2026-11-19T12:00:00Z'),
  ),
  join(
    fc.constantFrom('created', 'lastReported'),
    fc.constantFrom(' = ', ' != '),
    fc.constantFrom('2026-11-20', '2026-11-19T12:00:00Z'),
  ),
  fc.constantFrom(
    'state = active',
    'state != active',
    'online = false',
    'contexts:*',
    'contexts = night',
    'contexts:ni',
  ),
  fc.constantFrom(
    'lastReported:*',
    'hardwareId:*',
    'platform:*',
    'name:*',
    'id:80',
    'hw',
    '"two words"',
    'os*',
    '"80:0"',
    'any("o")',
  ),
)

const onService = fc.oneof(
  join(fc.constantFrom('port', 'application'), fc.oneof(order, fc.constant(' = ')), fc.constantFrom('22', '80', '28')),
  join('port', order, fc.constantFrom('22.5', '-1', '99999999999')),
  join(fc.constantFrom('name', 'host', 'title'), fc.constantFrom(' = ', ' != ', ':'), fc.oneof(quoted, pattern)),
  fc.constantFrom(
    'state = active',
    'online = false',
    'enabled = true',
    'port:*',
    'host:*',
    'protocol = udp',
    'application = SSH',
  ),
  join('attributes.site', fc.constantFrom(' = ', ':'), quoted),
  fc.constantFrom('attributes.site:*', 'attributes.load > 0', 'NOT attributes.net:*'),
)

const onServices = fc.oneof(
  fc.constantFrom(
    'services:*',
    'services:ssh',
    'services = web',
    'services.port = 22',
    'services.port != 22',
    'services.state = active',
  ),
  join('services:(', onService, ' ', onService, ')'),
  join('services:(NOT ', onService, ')'),
  join('services:(', onService, ' OR ', onService, ')'),
)

/** Generates device filters. Some are invalid: those with `services = web` or with NOT twice in a row. */
export const deviceFilter: fc.Arbitrary<string> = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(onAttribute, onField, onServices),
    join('(', tie('filter'), ' AND ', tie('filter'), ')'),
    join('(', tie('filter'), ' OR ', tie('filter'), ')'),
    join('NOT (', tie('filter'), ')'),
  ),
})).filter
