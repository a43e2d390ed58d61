import { ApiError, badInput, limitExceeded } from '../../errors.ts'
import { assertVisible, characters } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'

/** `site` has one level; `net.ssid` consists of a group and a sub-name. */
export type AttributeName = readonly [name: string] | readonly [group: string, subName: string]

/** A bulk service has no kind, because it shares the attributes of its device. */
export type TargetKind = 'user' | 'device' | 'service'

export const categoryAndStatus = ['category', 'status'].flatMap((kind) =>
  ['A', 'B', 'C', 'D', 'E'].map((letter) => `${kind}${letter}`),
)

/** The group that contains the category and status values of a device. */
export const RESERVED_GROUP = '$svc'

/** The group where the console stores a user's preferences, such as labels and columns. */
export const CONSOLE_GROUP = '$ui'

const controlCharacter = /\p{Cc}/u

/** Splits a name at its first dot: `a.b.c` is the sub-name `b.c` in the group `a`. */
export function parseAttributeName(text: string, path: string): AttributeName {
  if (text.startsWith('.') || text.endsWith('.')) throw outerDot(text, path)
  const dot = text.indexOf('.')
  return dot === -1 ? [level(text, path)] : [level(text.slice(0, dot), path), level(text.slice(dot + 1), path)]
}

export function level(text: string, path: string): string {
  if (text === '') throw badInput(`${path} must not be an empty attribute name`)
  if (text.startsWith('.') || text.endsWith('.')) throw outerDot(text, path)
  assertPlainText(text, path)
  const length = characters(text)
  if (length > limits.nameLength)
    throw limitExceeded(`${path} may have at most ${limits.nameLength} characters per level, found ${length}`)
  return text
}

const outerDot = (text: string, path: string): ApiError =>
  badInput(
    `${path}: a level of an attribute name must not begin or end with a dot, found ${JSON.stringify(text)}; a valid name is "net.ssid"`,
  )

/** Returns undefined for an omitted or null context. */
export function parseContext(text: string | null | undefined, path: string): string | undefined {
  if (text == null) return undefined
  if (text === '') throw badInput(`${path} must not be empty: pass the name of a context, or omit ${path}`)
  return parseContextName(text, path)
}

export function parseContextName(text: string, path: string): string {
  if (text === '') throw badInput(`${path} must not be empty`)
  assertPlainText(text, path)
  const length = characters(text)
  if (length > limits.contextLength)
    throw limitExceeded(`${path} may have at most ${limits.contextLength} characters, found ${length}`)
  return text
}

function assertPlainText(text: string, path: string): void {
  if (!text.isWellFormed()) throw badInput(`${path} must not contain a lone surrogate`)
  if (controlCharacter.test(text)) throw badInput(`${path} must not contain control characters, such as line breaks`)
}

/**
 * Throws if a change sets a value whose name or context contains invisible characters. Clients can still read and
 * remove existing values with such names or contexts.
 */
export function assertVisibleNames(
  changes: readonly { name: AttributeName; value: string | null }[],
  { context, path, contextPath = 'context' }: { context?: string | undefined; path: string; contextPath?: string },
): void {
  const set = changes.filter(({ value }) => value !== null)
  for (const { name } of set) for (const part of name) assertVisible(part, path)
  if (set.length > 0 && context !== undefined) assertVisible(context, contextPath)
}

export const joinAttributeName = (name: AttributeName): string => name.join('.')

export const isReserved = ([first]: AttributeName): boolean => first.startsWith('$')

export const isCategoryOrStatus = ([group, subName]: AttributeName): boolean =>
  group === RESERVED_GROUP && subName !== undefined && categoryAndStatus.includes(subName)

/**
 * Throws RESERVED_ATTRIBUTE if the name is reserved and not allowed on this kind of target. A reserved group without a
 * sub-name is allowed only in a change that removes the group.
 */
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
  if (group === RESERVED_GROUP)
    return kind === 'device'
      ? 'is not one of $svc.categoryA to $svc.categoryE or $svc.statusA to $svc.statusE'
      : `requires the ID of a device, found a ${kind}`
  if (group === CONSOLE_GROUP)
    return kind === 'user' ? 'requires a sub-name, as in $ui.label' : `requires the ID of a user, found a ${kind}`
  return 'is reserved: the only groups that can start with $ are $svc on a device and $ui on a user'
}
