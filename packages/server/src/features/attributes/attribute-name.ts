import { ApiError, badInput } from '../../errors.ts'
import { assertVisible, characters } from '../../lib/text.ts'
import { limits } from '../../limits.ts'

/** A name taken apart: `site` has one level, `net.ssid` a group and a sub-name. */
export type AttributeName = readonly [name: string] | readonly [group: string, subName: string]

/** What has attributes. A device's are those of its bulk service. */
export type TargetKind = 'user' | 'device' | 'service'

/** Sub-names of the reserved group: what the user interfaces show as Category and Status of a device. */
export const categoryAndStatus = ['category', 'status'].flatMap((kind) =>
  ['A', 'B', 'C', 'D', 'E'].map((letter) => `${kind}${letter}`),
)

/** The group whose names the user interfaces show as Category and Status of a device. */
export const RESERVED_GROUP = '$svc'

/** The group in which the console keeps what a person chose: renamed labels, columns. */
export const CONSOLE_GROUP = '$ui'

// Control characters: the C0 and C1 sets and DEL (Unicode category Cc).
const controlCharacter = /\p{Cc}/u

/**
 * Takes a name apart at its first dot: `a.b.c` is the sub-name `b.c` in the group `a`. `path` is where the caller wrote
 * it, for the message.
 */
export function parseAttributeName(text: string, path: string): AttributeName {
  if (text.startsWith('.') || text.endsWith('.')) throw outerDot(text, path)
  const dot = text.indexOf('.')
  return dot === -1 ? [level(text, path)] : [level(text.slice(0, dot), path), level(text.slice(dot + 1), path)]
}

/** One level of a name: not empty, no dot at either end, no control characters, no more than 128 characters. */
export function level(text: string, path: string): string {
  if (text === '') throw badInput(`${path} must not be empty: it is an attribute name`)
  if (text.startsWith('.') || text.endsWith('.')) throw outerDot(text, path)
  assertPlainText(text, path)
  const length = characters(text)
  if (length > limits.nameLength) {
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `${path} may have ${limits.nameLength} characters a level at most, found ${length}`,
    )
  }
  return text
}

const outerDot = (text: string, path: string): ApiError =>
  badInput(`${path}: no level of an attribute name begins or ends with a dot, as ${JSON.stringify(text)} does`)

/** The context as given; undefined for the base. */
export function parseContext(text: string | null | undefined, path: string): string | undefined {
  if (text == null) return undefined
  if (text === '') throw badInput(`${path} must not be empty; leave it away for the base values`)
  return parseContextName(text, path)
}

/** Where a context must be named. */
export function parseContextName(text: string, path: string): string {
  if (text === '') throw badInput(`${path} must not be empty`)
  assertPlainText(text, path)
  const length = characters(text)
  if (length > limits.contextLength) {
    throw new ApiError('LIMIT_EXCEEDED', `${path} may have ${limits.contextLength} characters at most, found ${length}`)
  }
  return text
}

function assertPlainText(text: string, path: string): void {
  if (!text.isWellFormed()) throw badInput(`${path} must not contain half of a surrogate pair`)
  if (controlCharacter.test(text)) throw badInput(`${path} must not contain control characters`)
}

/**
 * Rejects values under names, or in a context, with invisible characters. Those that are older than this rule can be read and
 * removed.
 */
export function assertVisibleNames(
  changes: readonly { name: AttributeName; value: string | null }[],
  { context, path }: { context: string | undefined; path: string },
): void {
  const set = changes.filter(({ value }) => value !== null)
  for (const { name } of set) for (const part of name) assertVisible(part, path)
  if (set.length > 0 && context !== undefined) assertVisible(context, 'context')
}

export const joinAttributeName = (name: AttributeName): string => name.join('.')

export const isReserved = ([first]: AttributeName): boolean => first.startsWith('$')

/** Whether the name is one of the ten that stand in columns of their own. */
export const isCategoryOrStatus = ([group, subName]: AttributeName): boolean =>
  group === RESERVED_GROUP && subName !== undefined && categoryAndStatus.includes(subName)

/** Refuses a reserved name that this kind of target does not have. The bare name of its own group is for removing it whole. */
export function assertAllowed(name: AttributeName, value: string | null, kind: TargetKind, path: string): void {
  if (!isReserved(name)) return
  const [group, subName] = name
  const removesGroup = subName === undefined && value === null
  if (group === RESERVED_GROUP && kind === 'device' && (removesGroup || isCategoryOrStatus(name))) return
  if (group === CONSOLE_GROUP && kind === 'user' && (removesGroup || subName !== undefined)) return
  throw new ApiError(
    'RESERVED_ATTRIBUTE',
    `${path}: ${JSON.stringify(joinAttributeName(name))} ${whyReserved(group, kind)}`,
  )
}

function whyReserved(group: string, kind: TargetKind): string {
  if (group === RESERVED_GROUP) {
    return kind === 'device'
      ? 'is not one of $svc.categoryA to $svc.categoryE and $svc.statusA to $svc.statusE'
      : `is for a device id, this is a ${kind}`
  }
  if (group === CONSOLE_GROUP) return kind === 'user' ? 'needs a sub-name' : `is for a user, this is a ${kind}`
  return 'is reserved: names that start with $ are, apart from $svc on a device and $ui on a user'
}
