/**
 * The differences between a record before and after, as in events: old and new value by field. Undefined if there are none:
 * then there is nothing to write and no event.
 */
export function fieldChanges<Fields extends object>(
  before: Fields,
  after: Fields,
): Record<string, { old: unknown; new: unknown }> | undefined {
  const changes: Record<string, { old: unknown; new: unknown }> = {}
  for (const field of Object.keys(after) as (keyof Fields & string)[]) {
    if (before[field] !== after[field]) changes[field] = { old: before[field], new: after[field] }
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}
