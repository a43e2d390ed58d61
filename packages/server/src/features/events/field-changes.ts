/**
 * The old and new values of changed fields, as recorded in events. Undefined if no field changed, in which case there is
 * nothing to write and no event.
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
