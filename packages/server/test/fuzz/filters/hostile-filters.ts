import { readFileSync } from 'node:fs'
import type { Random } from '../random.ts'
import { naughtyStrings } from '../strings/naughty-strings.ts'

const guides = new URL('../../../../../docs/guides/', import.meta.url)
const pages = ['finding-devices.md', 'filter-rules.md', 'views-and-counts.md']

/** The filters in the commands and code spans of the guides about filters. */
export const guideFilters: readonly string[] = readExamples(
  pages.map((page) => readFileSync(new URL(page, guides), 'utf8')).join('\n'),
)

function readExamples(text: string): string[] {
  const commands = Array.from(text.matchAll(/--where '([^']+)'/g), ([, filter]) => filter!)
  const spans = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, span]) => span!).filter((span) => /[=:<>(]/.test(span))
  return [...new Set([...commands, ...spans])]
}

const names = [
  ...['site', 'attributes.site', 'net.ssid', 'a.b.c.d.e', 'name', 'id', 'hardwareId', 'state', 'online', 'created'],
  ...['lastReported', 'owner', 'contexts', 'services', 'services.port', 'services.attributes.x', 'device.name', 'type'],
  ...['target.name', 'changed', '$svc.statusA', 'statusA', '$ui.x', '$svc', 'attributes', 'attributes.', 'services.'],
  ...[
    '__proto__',
    'constructor',
    'attributes.__proto__',
    'attributes.constructor.prototype',
    'toString',
    'hasOwnProperty',
  ],
  ...[
    '"rack row"',
    'attributes."x\\"y"',
    "'a'.'b'",
    'AND',
    'OR',
    'NOT',
    'and',
    'true',
    'null',
    'now',
    '80:00:00:00:00:00:00:01',
  ],
]
const operators = ['=', '!=', '<', '<=', '>', '>=', ':', '==', '=>', '!', '~', '<>', ':=', '']
const values = [
  ...[
    'oslo',
    '"oslo"',
    "'oslo'",
    '""',
    '*',
    '**',
    'a*b*c*d*e',
    '%',
    '_',
    '\\',
    '"\\*"',
    '"\\x"',
    '"',
    "'",
    'active',
    'true',
  ],
  ...['0', '-0', '007', '1.0', '2.10', '-1.5', '1e400', '.5', '5.', '+5', '9'.repeat(400), `0.${'1'.repeat(400)}`, '٣'],
  ...['now', '-2d', '+1w', '-1d12h', '-0s', `-${'9'.repeat(30)}w`, '2d', '2026-11-20', '2026-02-30', '0000-00-00'],
  ...['9999-12-31', '10000-01-01', '2026-11-20T08:30:00Z', '2026-11-20T25:61:61Z', '2026-11-20T08:30:00+99:99'],
  ...[
    '80:1f',
    '80:00:00:00:00:00:00:01',
    '(a OR b)',
    '(a b)',
    '(',
    ')',
    '()',
    '(a AND b)',
    '(x = 1)',
    '((a))',
    '\u0000',
  ],
  ...['😀', '\ud800', '\udc00', '\u202e', '\ufeff', 'İ', 'ß', 'Σ', '\u0301', '\u2028', 'ﷺ', '𝕏', '\t', '\r\n'],
]
const functions = ['base', 'in', 'override', 'age', 'changed', 'stale', 'view', 'any', 'eval', '__proto__', '']
const joints = [' AND ', ' OR ', ' ', 'AND', ' and ', '\n', ' NOT ', ' -', ',', ' OR OR ', ' AND NOT ']

const repeat = (random: Random, limit: number, make: () => string): string =>
  Array.from({ length: 1 + random.below(limit) }, make).join('')

function call(random: Random): string {
  const args = Array.from({ length: random.below(4) }, () => random.pick([...names, ...values]))
  return `${random.pick(functions)}(${args.join(random.pick([',', ', ', ' ']))})`
}

function term(random: Random): string {
  if (random.oneIn(5)) return random.pick(values)
  const subject = random.oneIn(4) ? call(random) : random.pick(names)
  const space = random.pick(['', ' ', '  '])
  return `${subject}${space}${random.pick(operators)}${space}${random.pick(values)}`
}

const terms = (random: Random): string => {
  const count = 1 + random.below(random.oneIn(10) ? 80 : 5)
  const text = Array.from({ length: count }, () => term(random)).join(random.pick(joints))
  return random.oneIn(3) ? `(${text})` : text
}

/**
 * Half of the time, returns an ASCII character, mostly a symbol or a digit. Otherwise, returns a Latin character or any
 * Unicode character.
 */
function character(random: Random): string {
  if (random.oneIn(2)) return random.pick([...'()"\'\\*:=<>!.,- \t\n%_$#/@&|;{}[]`~^?+0123456789aZ'])
  return String.fromCodePoint(random.below(random.oneIn(2) ? 0x250 : 0x110000))
}

function nested(random: Random): string {
  const depth = 1 + random.below(random.oneIn(4) ? 2_000 : 14)
  const open = random.pick(['(', 'NOT (', '-(', 'services:(', '((', 'NOT ', '- ', 'site = (', 'NOT NOT '])
  return `${open.repeat(depth)}${term(random)}${')'.repeat(random.oneIn(3) ? random.below(depth + 2) : depth)}`
}

function long(random: Random): string {
  const filter = random.pick(guideFilters)
  return random.pick([
    () => `site = (${Array.from({ length: random.below(400) }, () => random.pick(values)).join(' OR ')})`,
    () => `name:(${'a* '.repeat(random.below(30))})`,
    () => `name = ${'*a'.repeat(random.below(50))}`,
    () => `name = "${'\\*'.repeat(random.below(2_000))}"`,
    () => `${'a.'.repeat(random.below(3_000))}a = 1`,
    () => `"${'x'.repeat(4_080 + random.below(30))}"`,
    () =>
      Array(1 + random.below(120))
        .fill(filter)
        .join(random.pick([' AND ', ' OR ', ' '])),
    () => '-'.repeat(random.below(4_000)) + filter,
    () => `${'"'.repeat(random.below(4_000))}${filter}`,
    () => `${' '.repeat(random.below(5_000))}${filter}`,
    () => `created > -${'1d'.repeat(random.below(2_000))}`,
    () => 'a:*'.repeat(random.below(3_000)),
  ])()
}

/** Changes an example in a few places, so that the result is nearly valid. */
function mutated(random: Random): string {
  let text = random.pick(guideFilters)
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const at = random.below(text.length + 1)
    const other = random.below(text.length + 1)
    const [from, to] = at < other ? [at, other] : [other, at]
    text = random.pick([
      () => text.slice(0, at) + text.slice(at + 1),
      () => text.slice(0, at) + character(random) + text.slice(at),
      () => text.slice(0, at) + random.pick(values) + text.slice(at),
      () => text.slice(0, at) + random.pick(joints) + text.slice(at),
      () => text.slice(0, from) + text.slice(to),
      () => text.slice(0, to) + text.slice(from),
      () => text.toUpperCase(),
      () => `${text}${random.pick(joints)}${random.pick(guideFilters)}`,
      () => `NOT (${text})`,
      () => text.replaceAll(' ', random.pick(['', '\n', '\u00a0', '  '])),
    ])()
  }
  return text
}

/** Returns a random string. On average, three in ten strings are nearly valid variants of the guides' filters. */
export function hostileFilter(random: Random): string {
  return random.pick([
    () => mutated(random),
    () => mutated(random),
    () => mutated(random),
    () => terms(random),
    () => terms(random),
    () => nested(random),
    () => long(random),
    () => repeat(random, 100, () => character(random)),
    () => repeat(random, 20, () => random.pick([...names, ...operators, ...values, ...joints])),
    () => `${random.pick(names)}${random.pick(operators)}${random.pick(naughtyStrings)}`,
  ])()
}
