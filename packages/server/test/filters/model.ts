import type { Compare, CompareList, Condition, Literal, ResolvedFilter, Subject } from '@muster/filter'

type Group = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** A service without a state has its device's state. */
export interface ModelService {
  id: string
  name: string
  application: number
  title: string
  protocol: string
  host: string | null
  port: number | null
  enabled: boolean
  state: string | null
  attributes: Group
  overrides?: Readonly<Record<string, Group>>
}

/** Times are in milliseconds since 1970. */
export interface ModelDevice {
  id: string
  name: string
  hardwareId: string | null
  platform: string | null
  created: number
  state: string
  lastReported: number | null
  attributes: Group
  overrides: Readonly<Record<string, Group>>
  services: readonly ModelService[]
  /** The times of the base values, keyed by full attribute name. */
  times?: ModelTimes
  /** The times of the overrides, keyed by context. */
  overrideTimes?: Readonly<Record<string, ModelTimes>>
}

/**
 * The times when values last changed and were last confirmed, as the database stores them, in milliseconds since 1970.
 * If the two times of a value are equal, they are stored as a single number.
 */
export type ModelTimes = Readonly<Record<string, number | readonly [changed: number, confirmed: number]>>

interface Row {
  device: ModelDevice
  service?: ModelService
}

export interface ModelOptions {
  context: string | undefined
  now: number
  /** The time when the server began to record the times of values, in milliseconds since 1970. */
  timesSince?: number
  /** The expected intervals of values in seconds, keyed by attribute name. */
  intervals?: Readonly<Record<string, number>>
}

/** Evaluates a filter in the simplest way. The tests compare the result with that of the database. */
export function matches(filter: ResolvedFilter | null, device: ModelDevice, options: ModelOptions): boolean {
  return filter === null || evaluate(filter, { device }, options)
}

function evaluate(filter: ResolvedFilter, row: Row, options: ModelOptions): boolean {
  switch (filter.type) {
    case 'and':
      return filter.operands.every((operand) => evaluate(operand, row, options))
    case 'or':
      return filter.operands.some((operand) => evaluate(operand, row, options))
    case 'not':
      return !evaluate(filter.operand, row, options)
    case 'services':
      return row.device.services.some(
        (service) => filter.condition === null || evaluate(filter.condition, { ...row, service }, options),
      )
    default:
      return evaluateCondition(filter, row, options)
  }
}

function evaluateCondition(condition: Condition, row: Row, options: ModelOptions): boolean {
  switch (condition.type) {
    case 'compare':
      return compare(condition, condition.literal, row, options)
    case 'list': {
      const each = (literal: Literal): boolean => compare(condition, literal, row, options)
      return condition.match === 'all' ? condition.literals.every(each) : condition.literals.some(each)
    }
    case 'present':
      return isPresent(condition.subject, row, options)
    case 'word': {
      const { id, name } = row.device
      const strings = [name, row.device.hardwareId].filter((text) => text !== null)
      const isIdStart = condition.literal.type === 'string' && id.startsWith(condition.literal.value.toLowerCase())
      return isIdStart || strings.some((text) => compareText(text, ':', condition.literal))
    }
    case 'any':
      return leaves(row.service?.attributes ?? row.device.attributes).some((text) =>
        compareText(text, ':', condition.literal),
      )
    case 'stale': {
      const seconds = options.intervals?.[condition.name.join('.')]
      const confirmed = timeOfValue(condition.name, 'confirmed', row, options)
      return seconds !== undefined && confirmed !== undefined && options.now - confirmed > 1_250 * seconds
    }
    default:
      throw new Error(`The model does not evaluate conditions of the type ${condition.type}. Add them to model.ts.`)
  }
}

/** Returns when a device's effective value last changed or was last confirmed, or undefined if there is no value. */
function timeOfValue(
  name: readonly string[],
  which: 'changed' | 'confirmed',
  { device }: Row,
  { context, timesSince = 0 }: ModelOptions,
): number | undefined {
  const has = (group: Group | undefined): boolean => group !== undefined && valueIn(group, name) !== undefined
  const timeIn = (times: ModelTimes | undefined): number => {
    const time = times?.[name.join('.')] ?? 0
    return typeof time === 'number' ? time : time[which === 'changed' ? 0 : 1]
  }
  if (context !== undefined && has(device.overrides[context]))
    return Math.max(timeIn(device.overrideTimes?.[context]), timesSince)
  return has(device.attributes) ? Math.max(timeIn(device.times), device.created, timesSince) : undefined
}

const leaves = (group: Group): string[] =>
  Object.values(group).flatMap((value) => (typeof value === 'string' ? [value] : Object.values(value)))

function compare(condition: Compare | CompareList, literal: Literal, row: Row, options: ModelOptions): boolean {
  const { operator, subject } = condition
  if (subject.type === 'age' || subject.type === 'changed') {
    const changed = timeOfValue(subject.name, 'changed', row, options)
    if (changed === undefined) return false
    return literal.type === 'duration'
      ? order(options.now - changed, operator, literal.seconds * 1_000)
      : compareNumber(changed, operator, literal, options)
  }
  return valuesOf(condition.subject, row, options).some((value) => {
    if (literal.type === 'boolean') return value === literal.value
    if (typeof value === 'number' && (literal.type === 'string' || literal.type === 'pattern')) return false
    if (typeof value === 'number') return compareNumber(value, operator, literal, options)
    if (typeof value !== 'string') return false
    switch (literal.type) {
      case 'string':
      case 'pattern':
        return compareText(value, operator, literal)
      case 'number':
        return order(numberOf(value), operator, Number(literal.decimal))
      default:
        return compareNumber(timeOf(value), operator, literal, options)
    }
  })
}

function compareNumber(
  value: number | undefined,
  operator: Compare['operator'],
  literal: Literal,
  { now }: ModelOptions,
): boolean {
  if (value === undefined) return false
  switch (literal.type) {
    case 'number':
      return order(value, operator, Number(literal.decimal))
    case 'time':
      return order(value, operator, literal.milliseconds)
    case 'relative':
      return order(value, operator, now + literal.seconds * 1000)
    case 'day':
      return value >= literal.milliseconds && value < literal.milliseconds + 86_400_000
    default:
      throw new Error(`A number cannot be compared with a literal of type ${literal.type}.`)
  }
}

function order(value: number | undefined, operator: Compare['operator'], other: number): boolean {
  if (value === undefined) return false
  if (operator === '<') return value < other
  if (operator === '<=') return value <= other
  if (operator === '>') return value > other
  return operator === '>=' ? value >= other : value === other
}

const collator = new Intl.Collator('und', { numeric: true, sensitivity: 'accent' })

function compareText(value: string, operator: Compare['operator'], literal: Literal): boolean {
  if (literal.type === 'pattern') {
    return operator === '=' ? matchesParts(value, literal.parts) : matchesParts(fold(value), literal.parts.map(fold))
  }
  if (literal.type !== 'string') throw new Error(`The literal must be a string, not of the type ${literal.type}.`)
  if (operator === '=') return value === literal.value
  if (operator === ':') return fold(value).includes(fold(literal.value))
  return order(collator.compare(value.slice(0, 200), literal.value.slice(0, 200)), operator, 0)
}

const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

function matchesParts(value: string, parts: readonly string[]): boolean {
  const first = parts[0]!
  const last = parts.at(-1)!
  if (!value.startsWith(first)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = value.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return value.length - last.length >= at && value.endsWith(last)
}

const numberOf = (text: string): number | undefined =>
  text.length <= 40 && /^[-+]?\d+(\.\d+)?([eE][-+]?\d{1,2})?$/.test(text) ? Number(text) : undefined

function timeOf(text: string): number | undefined {
  const date = /^(\d{4})-(\d\d)-(\d\d)/.exec(text)
  if (date === null || !/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d))?$/.test(text)) return undefined
  const day = new Date(Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3])))
  if (day.getUTCMonth() !== Number(date[2]) - 1) return undefined
  return Date.parse(text)
}

function isPresent(subject: Subject, row: Row, options: ModelOptions): boolean {
  if (subject.type !== 'attribute') return valuesOf(subject, row, options).length > 0
  const [first, second] = subject.name
  return layers(subject, row, options).some((group) => {
    const value = Object.hasOwn(group, first) ? group[first] : undefined
    return second === undefined ? value !== undefined : typeof value === 'object' && Object.hasOwn(value, second)
  })
}

/** Returns the overrides and the base values in which an attribute is looked up, in this order. */
function layers(subject: Subject & { type: 'attribute' }, { device, service }: Row, options: ModelOptions): Group[] {
  const overrides = (context: string | undefined): Group[] => {
    const { overrides } = subject.of === 'device' ? device : service!
    const found = context === undefined ? undefined : overrides?.[context]
    return found === undefined ? [] : [found]
  }
  const base = subject.of === 'device' ? device.attributes : service!.attributes
  switch (subject.read.type) {
    case 'base':
      return [base]
    case 'override':
      return overrides(subject.read.context)
    case 'in':
      return [...overrides(subject.read.context), base]
    case 'effective':
      return [...overrides(options.context), base]
  }
}

function valueIn(group: Group, [first, second]: readonly string[]): string | undefined {
  const value = Object.hasOwn(group, first!) ? group[first!] : undefined
  const found = typeof value === 'object' && second !== undefined ? value[second] : value
  return typeof found === 'string' && (second === undefined) === (typeof value === 'string') ? found : undefined
}

/** Returns the values of an attribute or a field. Omits missing values. */
function valuesOf(subject: Subject, row: Row, options: ModelOptions): (string | number | boolean)[] {
  if (subject.type === 'attribute') {
    for (const group of layers(subject, row, options)) {
      const found = valueIn(group, subject.name)
      if (found !== undefined) return [found]
    }
    return []
  }
  if (subject.type !== 'field')
    throw new Error(`The model does not evaluate ${subject.type}(). Add the function to model.ts.`)
  const { device, service } = row
  if (subject.name === 'contexts') return Object.keys((subject.of === 'device' ? device : service!).overrides ?? {})
  const state = subject.of === 'service' ? (service!.state ?? device.state) : device.state
  if (subject.name === 'state') return [state]
  if (subject.name === 'online') return [state === 'active']
  const source: object = subject.of === 'service' ? service! : device
  const value = (source as Record<string, string | number | boolean | null | undefined>)[subject.name]
  if (subject.name === 'application' && typeof value === 'number') return [value, service!.title]
  return value === null || value === undefined ? [] : [value]
}
