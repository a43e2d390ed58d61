/** Where a filter is used. `list` means a list or any other read, a subscription, or a webhook. */
export type FilterUsage = 'list' | 'bulk' | 'role' | 'accessKey' | 'view'

interface UsageRule {
  readonly place: string
  readonly fields?: readonly string[]
  readonly isWithoutClock?: true
  readonly isWithoutView?: true
  readonly isRequired?: true
}

const reported = ['state', 'online', 'stateSince', 'lastReported']

const rules: Readonly<Record<FilterUsage, UsageRule>> = {
  list: { place: 'here' },
  bulk: { place: 'in the target of a bulk job', isRequired: true },
  role: { place: 'in a role', fields: reported, isWithoutClock: true },
  accessKey: { place: 'in an access key', fields: reported, isWithoutClock: true },
  view: { place: 'in a view', isWithoutView: true },
}

/** Returns why a field is not allowed, or undefined if it is allowed. */
export function forbiddenField(usage: FilterUsage, field: string): string | undefined {
  const { fields, place } = rules[usage]
  return fields?.includes(field) ? `${field} is not allowed ${place}. Use another field or an attribute.` : undefined
}

export function forbiddenClock(usage: FilterUsage, what: 'Relative times' | 'age()' | 'stale()'): string | undefined {
  const { isWithoutClock, place } = rules[usage]
  if (!isWithoutClock) return undefined
  return what === 'Relative times'
    ? `Relative times are not allowed ${place}. Write a time, such as 2026-11-20T08:30:00Z.`
    : `${what} is not allowed ${place}, because its result changes with time. Use changed() with a fixed time.`
}

export const forbiddenView = (usage: FilterUsage): string | undefined =>
  rules[usage].isWithoutView
    ? `view() is not allowed ${rules[usage].place}. Write the filter of the other view instead.`
    : undefined

export const forbiddenEmpty = (usage: FilterUsage): string | undefined =>
  rules[usage].isRequired
    ? `The filter must not be empty ${rules[usage].place}. For all devices, write id:*`
    : undefined
