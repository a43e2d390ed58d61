import fc from 'fast-check'
import type { FilterKind } from '../src/index.ts'

export const fragments = [
  ...[
    'AND',
    'OR',
    'NOT',
    '-',
    '(',
    ')',
    ',',
    '.',
    ':',
    '=',
    '!=',
    '<',
    '<=',
    '>',
    '>=',
    '*',
    '\\*',
    '\\',
    '"',
    "'",
    '!',
    ' ',
  ],
  ...[
    '\n',
    '\t',
    '\0',
    '\uD800',
    '😀',
    'ß',
    '__proto__',
    'constructor',
    'now',
    '-2d',
    '2d',
    '+1h',
    '2.10',
    '0.8',
    '-5',
    '1e9',
  ],
  ...[
    '80:',
    '80:00:1f',
    '80:00:1f:00:00:00:00:01',
    '2026-11-20',
    '2026-11-20T08:30:00Z',
    '"two words"',
    "'it\\'s'",
    '""',
  ],
  ...[
    'site',
    'rack',
    'name',
    'state',
    'active',
    'services',
    'services:(',
    'services.port',
    'device.',
    'attributes',
    'attributes.',
  ],
  ...[
    '$svc.statusA',
    '$ui.x',
    'categoryA',
    'target.id',
    'base(',
    'in("n", ',
    'age(',
    'stale(site)',
    'any(',
    'view("v")',
    ':*',
  ],
] as const

export const hostile: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...fragments), { maxLength: 30 }).map((parts) => parts.join(' ')) },
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...fragments), { maxLength: 30 }).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...fragments), fc.nat(2000)).map(([part, count]) => part.repeat(count)),
  },
)

const string = fc.oneof(
  fc.constantFrom(
    'oslo',
    'Oslo north',
    '010',
    '2.10',
    '-2d',
    'now',
    'AND',
    'and',
    'a.b',
    'a:b',
    '',
    ' ',
    '*',
    '\\',
    '"',
    "it's",
  ),
  fc.constantFrom('80:00:1f', 'os*', '2026-11-20', 'true', 'é', '-x', '(x)', 'a,b', 'æøå', '$x'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)

/** Generates a string as a literal, mostly in quotes. In half of the quoted literals, an asterisk is a wildcard. */
const literal = fc.tuple(string, fc.boolean(), fc.boolean()).map(([text, isWildcard, isPlain]) => {
  if (isPlain && /^[\p{L}\p{N}.:*-]+$/u.test(text) && !['AND', 'OR', 'NOT'].includes(text)) return text
  return `"${text.replaceAll(isWildcard ? /["\\]/g : /["\\*]/g, '\\$&')}"`
})

const time = fc.constantFrom('2026-11-20', '2026-11-20T08:30:00Z', '-2d', '+36h', 'now', '"2026-01-01T00:00:00+01:00"')
const order = fc.constantFrom('<', '<=', '>', '>=')
const equality = fc.constantFrom(' = ', '!=', ':')
const attribute = fc.constantFrom(
  'site',
  'net.ssid',
  'attributes.state',
  '"rack row"',
  'a.b.c',
  'attributes."AND"',
  'load',
  '__proto__',
)
const id = fc.constantFrom('80:00:1f:00:00:00:00:01', '80:00:1f:00:00:00:00:0A')

const join = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''))

const list = fc
  .tuple(fc.array(literal, { minLength: 1, maxLength: 4 }), fc.constantFrom(' OR ', ' AND ', ' '))
  .map(([values, separator]) => `(${values.join(separator)})`)

/** Generates conditions on an attribute, with `lead` before the attribute's name. */
const onAttribute = (lead: string): fc.Arbitrary<string> => {
  const subjects = join(lead, attribute)
  return fc.oneof(
    join(subjects, equality, literal),
    join(subjects, equality, list),
    join(subjects, ' ', order, ' ', fc.oneof(literal, time, fc.constantFrom('5', '-0.5', '010'))),
    join(subjects, ':*'),
  )
}

const onService = fc.oneof(
  join('port ', fc.constantFrom('=', '!=', '<', '>='), ' ', fc.constantFrom('22', '8443')),
  join('application', equality, fc.constantFrom('SSH', '"28"')),
  join('application ', order, ' 28'),
  join('host', equality, literal),
  fc.constantFrom('enabled = true', 'state:active', 'protocol = tcp', 'port:*'),
  onAttribute(''),
  literal,
)

const onDevice = (lead: string): fc.Arbitrary<string> =>
  fc.oneof(
    join(lead, fc.constantFrom('name', 'platform', 'hardwareId'), equality, literal),
    join(lead, 'name ', order, ' ', literal),
    join(lead, 'created ', order, ' ', time),
    join(lead, 'created = ', fc.constantFrom('2026-11-20', '2026-11-20T00:00:00Z')),
    join(lead, fc.constantFrom('state != active', 'online = true', 'lastReported:*', 'services:*', 'contexts:night')),
    join(lead, 'id', fc.constantFrom(' = ', ':', '!='), id),
    join(
      lead,
      fc.constantFrom('services.port = 22', 'services.host != x', 'services.attributes.site = 5', 'services:ssh'),
    ),
    onAttribute(lead),
    ...(lead === '' ? [] : [join(lead, 'services:(', onService, ')')]),
  )

const onFunction = fc.oneof(
  join('base(', attribute, ')', equality, literal),
  join('in("night", ', attribute, ')', equality, literal),
  join("override('a b', ", attribute, ') ', order, ' 5'),
  fc.constantFrom('age(site) > 36h', 'changed("rack row") > -2d', 'changed(site) = 2026-11-20', 'stale(net.ssid)'),
  join('any(', literal, ')'),
)

const conditions: Record<FilterKind, fc.Arbitrary<string>> = {
  device: fc.oneof(onDevice(''), onFunction, literal, id, fc.constant('view("v")')),
  service: fc.oneof(onService, onDevice('device.'), onFunction),
  event: fc.oneof(
    onDevice('device.'),
    onFunction,
    literal,
    join('type', equality, literal),
    fc.constantFrom('target.id = x', 'timestamp > -2d', 'changed:site', 'id = 5', 'state = active'),
  ),
}

export function filterOf(kind: FilterKind): fc.Arbitrary<string> {
  const { filter } = fc.letrec<{ filter: string; term: string }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('term'),
      fc
        .tuple(fc.array(tie('term'), { minLength: 2, maxLength: 4 }), fc.constantFrom(' ', ' AND ', ' OR ', '\n'))
        .map(([terms, separator]) => terms.join(separator)),
    ),
    term: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      conditions[kind],
      join(fc.constantFrom('', '-', 'NOT '), '(', tie('filter'), ')'),
      join(fc.constantFrom('-', 'NOT '), conditions[kind]),
      ...(kind === 'device'
        ? [
            join(
              'services:(',
              fc.array(onService, { minLength: 1, maxLength: 3 }).map((all) => all.join(' ')),
              ')',
            ),
          ]
        : []),
    ),
  }))
  return filter
}
