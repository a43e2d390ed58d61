import { toCodePoints } from '../positions.ts'

/** The levels of an attribute name: one, such as `site`, or a group and a second level, such as `net` and `ssid`. */
export type AttributeName = readonly [name: string] | readonly [group: string, subName: string]

/** The group of the ten reserved names, which only devices have. */
export const RESERVED_GROUP = '$svc'

/** The names in `$svc`. Each also has a short form: `categoryA` for `$svc.categoryA`. */
export const reservedNames: readonly string[] = ['category', 'status'].flatMap((kind) =>
  ['A', 'B', 'C', 'D', 'E'].map((letter) => `${kind}${letter}`),
)

export const isReservedShortName = (name: string): boolean => reservedNames.includes(name)

export const isReservedName = ([group, subName]: AttributeName): boolean =>
  group === RESERVED_GROUP && subName !== undefined && isReservedShortName(subName)

/** Maximum number of characters in one level of an attribute name and in the name of a context. */
const maxLength = { level: 128, context: 64 }

const controlCharacter = /\p{Cc}/u

/** Splits a name at its first dot, as everywhere in the API: `a.b.c` is the name `b.c` in the group `a`. */
export function splitAttributeName(name: string): AttributeName {
  const dot = name.indexOf('.')
  return dot === -1 ? [name] : [name.slice(0, dot), name.slice(dot + 1)]
}

export const joinAttributeName = (name: AttributeName): string => name.join('.')

/** Returns why a string is not a valid attribute name, or undefined if it is valid. */
export function wrongAttributeName(name: string): string | undefined {
  const levels = splitAttributeName(name)
  if (name === '') return 'The name of an attribute must not be empty.'
  if (levels.some((level) => level === '' || level.startsWith('.') || level.endsWith('.')))
    return 'A level of an attribute name must not be empty, and must not begin or end with a dot. Example: net.ssid'
  if (controlCharacter.test(name))
    return 'The name of an attribute must not contain control characters, such as line breaks.'
  const longest = Math.max(...levels.map((level) => toCodePoints(level, level.length)))
  if (longest <= maxLength.level) return undefined
  return `An attribute name may have at most ${maxLength.level} characters per level, found ${longest}.`
}

/** Returns why a string is not a valid context name, or undefined if it is valid. */
export function wrongContext(context: string): string | undefined {
  if (context === '') return 'The name of a context must not be empty.'
  if (controlCharacter.test(context))
    return 'The name of a context must not contain control characters, such as line breaks.'
  const length = toCodePoints(context, context.length)
  if (length <= maxLength.context) return undefined
  return `The name of a context may have at most ${maxLength.context} characters, found ${length}.`
}
