import { notFound } from '../errors.ts'
import type { Operation } from './operation.ts'
import type { Route } from './route.ts'

type Names = Readonly<Record<string, string>>

/** One step of `route.at`: a member, an item by its index, or the item whose ID or key is in the path. */
type Step = { member: string } | { index: number } | { key: string }

/**
 * Returns the response body. Throws NOT_FOUND if the data does not contain the body, or if the member in `route.found`
 * is null.
 */
export function responseBody(data: unknown, { route, pathNames }: Operation, names: Names): unknown {
  const value = stepsOf(route).reduce((place, step) => take(place, step, names), data)
  if (value === undefined || value === null) throw notFound(nounOf(route), names[pathNames[0] ?? ''] ?? '')
  const [member, what] = route.found ?? []
  if (member !== undefined && what !== undefined && memberOf(value, member) === null) {
    throw notFound(what, names.name ?? '')
  }
  return value
}

export const stepsOf = ({ at = '' }: Route): Step[] =>
  Array.from(at.matchAll(/(\w+)|\[(\d+)\]|\[(\w+)\]/g), ([text, member, index]) => {
    if (member !== undefined && !text.startsWith('[')) return { member }
    return index === undefined ? { key: text.slice(1, -1) } : { index: Number(index) }
  })

function take(place: unknown, step: Step, names: Names): unknown {
  if ('member' in step) return memberOf(place, step.member)
  if (!Array.isArray(place)) return undefined
  if ('index' in step) return place[step.index]
  return place.find((item) => memberOf(item, step.key) === names[step.key])
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** Returns the noun for a path. For example, the noun for `/access-keys/{key}` is `access key`. */
const nounOf = ({ path }: Route): string => (path.split('/')[1] ?? '').replace('-', ' ').replace(/s$/, '')

/** Replaces the placeholders in a path, such as `/devices/{device.id}`, with values from a response. */
export function fillPath(path: string, body: unknown): string {
  return path.replace(/\{([\w.]+)\}/g, (_match, members: string) =>
    encodePathPart(String(members.split('.').reduce(memberOf, body))),
  )
}

/** Keeps colons, which the IDs of devices and services contain, and which RFC 3986 §3.3 allows in a path. */
const encodePathPart = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':')
