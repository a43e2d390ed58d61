import {
  type AttributeName,
  isReservedName,
  isReservedShortName,
  joinAttributeName,
  RESERVED_GROUP,
  reservedNames,
  splitAttributeName,
  wrongAttributeName,
} from '../names/attribute-name.ts'
import { closestName } from '../names/closest-name.ts'
import { type FilterKind, fieldType, fieldTypes } from '../names/fields.ts'
import type { Span } from '../positions.ts'
import { abbreviate } from '../problems.ts'
import { writeLevel, writeNameArgument } from '../syntax/quote.ts'
import type { AttributeSubject, FieldSubject } from './resolved.ts'
import { type Resolving, rejectWith, replace, type Scope, warn } from './resolving.ts'

export type NamedSubject =
  | FieldSubject
  | AttributeSubject
  /** The name follows `services.` in the filter. */
  | { readonly type: 'inServices'; readonly subject: FieldSubject | AttributeSubject }
  /** The filter contains `services` or `attributes` without a further name. */
  | { readonly type: 'services' | 'attributes'; readonly of: 'device' | 'service' }

export interface WrittenName {
  readonly name: string
  readonly span: Span
  /** Whether the name is a function's argument. Arguments are quoted as a whole, and other names level by level. */
  readonly isArgument: boolean
  /** The part before `name` in the filter, such as `services.`. */
  readonly lead: string
}

const ATTRIBUTES = 'attributes.'

export const NESTED_SERVICES =
  'Conditions on services cannot be nested. Join them with AND, as in services.port = 22 AND services.host = x'

/** Resolves a name to a field or an attribute. Returns undefined after reporting an error. */
export function resolveName(resolving: Resolving, scope: Scope, found: WrittenName): NamedSubject | undefined {
  const { name } = found
  const { kind } = scope
  if (kind !== 'device' && name.startsWith('device.')) {
    const rest = { ...found, name: name.slice('device.'.length), lead: `${found.lead}device.` }
    if (scope.isInServices && /^services(\.|$)/.test(rest.name))
      return rejectWith(resolving, found.span, NESTED_SERVICES)
    return resolveName(resolving, { ...scope, kind: 'device' }, rest)
  }
  if (kind === 'device' && name.startsWith('services.')) {
    const rest = { ...found, name: name.slice('services.'.length), lead: `${found.lead}services.` }
    const subject = resolveName(resolving, { ...scope, kind: 'service', isInServices: true }, rest)
    return subject === undefined ? undefined : toService(resolving, subject, found)
  }
  if (name === 'services' && kind === 'device') return { type: 'services', of: 'device' }
  if (name === 'attributes') return { type: 'attributes', of: attributeOwner(kind) }
  if (isPrefixAlone(kind, name)) return rejectPrefix(resolving, found)
  const valueType = fieldType(kind, name)
  if (valueType !== undefined) return { type: 'field', of: kind, name, valueType } as FieldSubject
  const attribute = resolveAttributeName(resolving, scope, found)
  if (attribute === undefined) return undefined
  return { type: 'attribute', of: attributeOwner(kind), name: attribute, read: { type: 'effective' } }
}

/**
 * Returns the kind of object whose attributes a name refers to. In a filter for events, a name refers to the current
 * attributes of the event's device.
 */
export const attributeOwner = (kind: FilterKind): 'device' | 'service' => (kind === 'service' ? 'service' : 'device')

function toService(resolving: Resolving, subject: NamedSubject, found: WrittenName): NamedSubject | undefined {
  if (subject.type === 'field' || subject.type === 'attribute') {
    if (subject.of === 'service') return { type: 'inServices', subject }
    return rejectWith(
      resolving,
      found.span,
      'The prefix "services." accepts only service fields and attributes. For the device, omit "services.device."',
    )
  }
  const message = 'Write an attribute name after services.attributes, as in services.attributes.site = oslo'
  return rejectWith(resolving, found.span, message)
}

const isPrefixAlone = (kind: FilterKind, name: string): boolean =>
  (kind !== 'device' && name === 'device') ||
  (kind === 'event' && (name === 'target' || name.startsWith('target.')) && !fieldType(kind, name))

function rejectPrefix(resolving: Resolving, { name, span }: WrittenName): undefined {
  const message =
    name === 'device'
      ? 'device is not a field. Write a name after it, such as device.name or device.site.'
      : 'The fields of target are target.id, target.name, and target.kind.'
  return rejectWith(resolving, span, message)
}

/**
 * Resolves the name of an attribute. In functions, rejects the name of a field, unless it has the prefix `attributes.`.
 * Elsewhere, the caller first looks for a field with this name.
 */
export function resolveAttributeName(
  resolving: Resolving,
  scope: Scope,
  found: WrittenName,
): AttributeName | undefined {
  const isShort = !found.name.startsWith(ATTRIBUTES)
  const full = isShort ? found.name : found.name.slice(ATTRIBUTES.length)
  const owner = attributeOwner(scope.kind)
  if (found.isArgument && isShort && fieldType(scope.kind, full) !== undefined) {
    const message = `${full} is a field, but functions take attributes. For an attribute with this name, write ${ATTRIBUTES}${full}`
    return rejectWith(resolving, found.span, message, replace(found.span, writeNameArgument(`${ATTRIBUTES}${full}`)))
  }
  const isReservedShort = isShort && isReservedShortName(full)
  const name: AttributeName = isReservedShort ? [RESERVED_GROUP, full] : splitAttributeName(full)
  const wrong = wrongAttributeName(joinAttributeName(name))
  if (wrong !== undefined) return rejectWith(resolving, found.span, wrong)
  if (name[0].startsWith('$')) return resolveReserved(resolving, name, found, owner)
  if (isKnown(resolving, full)) return name
  resolving.unknown.add(full)
  return isShort ? rejectUnknown(resolving, scope, found) : warnUnknown(resolving, found, name)
}

function resolveReserved(
  resolving: Resolving,
  name: AttributeName,
  found: WrittenName,
  owner: 'device' | 'service',
): AttributeName | undefined {
  const [group, subName] = name
  if (group !== RESERVED_GROUP) {
    const message = `${abbreviate(joinAttributeName(name))} is not an attribute of devices or services. Only names in ${RESERVED_GROUP}, such as ${RESERVED_GROUP}.statusA, can begin with $.`
    return rejectWith(resolving, found.span, message)
  }
  if (subName !== undefined && !isReservedName(name)) {
    const closest = owner === 'device' ? closestName(subName, reservedNames) : undefined
    const message = `${RESERVED_GROUP} contains only the names categoryA to categoryE and statusA to statusE, not ${abbreviate(subName)}.`
    const edit = closest === undefined ? null : replace(found.span, printFull(found, `${RESERVED_GROUP}.${closest}`))
    return rejectWith(resolving, found.span, message, edit)
  }
  if (owner === 'service') {
    const isOfDevice = found.lead === 'services.'
    const right = `${isOfDevice ? '' : 'device.'}${printName(name)}`
    const ofServices = 'In conditions on services, functions take attributes of services.'
    const hint = found.isArgument ? ofServices : `Write ${right}`
    const message = `Only devices have the attributes of ${RESERVED_GROUP}. ${hint}`
    const isDirect = (found.lead === '' || isOfDevice) && !found.isArgument
    return rejectWith(resolving, found.span, message, isDirect ? replace(found.span, right) : null)
  }
  return name
}

function isKnown(resolving: Resolving, name: string): boolean {
  const { knownAttributes } = resolving.options
  if (knownAttributes === undefined || knownAttributes.has(name)) return true
  resolving.knownGroups ??= groupsOf(knownAttributes.keys())
  return resolving.knownGroups.has(name)
}

function groupsOf(names: Iterable<string>): ReadonlySet<string> {
  const groups = new Set<string>()
  for (const name of names) if (name.includes('.')) groups.add(splitAttributeName(name)[0])
  return groups
}

function rejectUnknown(resolving: Resolving, scope: Scope, found: WrittenName): undefined {
  const { name, span } = found
  const unknown = `Unknown attribute ${JSON.stringify(abbreviate(name))}.`
  const spaced = nameWithSpaces(resolving, found)
  if (spaced !== undefined) {
    const right = printName(splitAttributeName(spaced))
    const whole = { from: span.to - spaced.length, to: span.to }
    return rejectWith(resolving, span, `${unknown} Did you mean ${right}?`, replace(whole, right))
  }
  const field = fieldOfDevice(scope, found)
  const closest = field ?? closestKnown(resolving, scope.kind, name)
  if (closest === undefined) {
    const message = `${unknown} To use a name that is not in use yet, add the prefix "${ATTRIBUTES}" to it.`
    return rejectWith(resolving, span, message)
  }
  const message = `${unknown} Did you mean ${JSON.stringify(closest)}?`
  return rejectWith(resolving, span, message, replace(span, field ?? printFull(found, closest)))
}

/** In a filter for services or events, returns the right name of a field that the user wrote as in a device filter. */
function fieldOfDevice({ kind }: Scope, { name, lead, isArgument }: WrittenName): string | undefined {
  if (kind === 'device' || lead !== '' || isArgument) return undefined
  if (fieldType('device', name) !== undefined) return `device.${name}`
  const ofService = name.startsWith('services.') ? name.slice('services.'.length) : ''
  if (fieldType('service', ofService) === undefined) return undefined
  return kind === 'service' ? ofService : `device.${name}`
}

/**
 * Returns the known name with spaces that the user wrote without quotes, and that ends with the unknown name. Returns
 * the longest if there are several.
 */
function nameWithSpaces(resolving: Resolving, { span, lead, isArgument }: WrittenName): string | undefined {
  const { text, options } = resolving
  if (lead !== '' || isArgument || text[span.from - 1] !== ' ') return undefined
  resolving.namesWithSpaces ??= Array.from(options.knownAttributes?.keys() ?? [])
    .filter((name) => name.includes(' '))
    .sort((one, other) => other.length - one.length)
  const written = text.slice(0, span.to)
  const isLonger = (name: string): boolean => name.length > span.to - span.from && written.endsWith(name)
  return resolving.namesWithSpaces.find((name) => isLonger(name) && canBeginName(written.slice(0, -name.length)))
}

/** Returns whether a name can follow the text. After a comparator, a value follows. */
const canBeginName = (before: string): boolean => /(?:^|[\s(])$/.test(before) && !/[=<>:]\s*$/.test(before)

function warnUnknown(resolving: Resolving, { span }: WrittenName, name: AttributeName): AttributeName {
  const message = `Unknown attribute ${JSON.stringify(abbreviate(joinAttributeName(name)))}. Check the spelling.`
  warn(resolving, span, message)
  return name
}

const MAX_SEARCHES = 5

function closestKnown(resolving: Resolving, kind: FilterKind, name: string): string | undefined {
  const { searched, options } = resolving
  const key = `${kind} ${name}`
  if (searched.has(key)) return searched.get(key)
  if (searched.size >= MAX_SEARCHES) return undefined
  const fields = [...Object.keys(fieldTypes[kind]), ...(kind === 'device' ? ['services'] : [])]
  const shortNames = kind === 'service' ? [] : reservedNames
  const known = options.knownAttributes?.keys(attributeOwner(kind)) ?? []
  const closest = closestName(name, [...fields, ...shortNames, ...known])
  searched.set(key, closest)
  return closest
}

const printFull = ({ lead, isArgument }: WrittenName, name: string): string =>
  isArgument ? writeNameArgument(name) : lead + printName(splitAttributeName(name))

/** Formats a name to the left of a comparator, with quotes around the levels that need them. */
export const printName = (name: AttributeName): string => name.map((level) => writeLevel(level!)).join('.')
