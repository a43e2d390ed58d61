import { usageError } from '../errors/cli-error.ts'

/** Converts `false`, the value of an option such as --no-name, to null, which removes the property in the API. */
export const nullIfRemoved = <Value>(value: Value | false | undefined): Value | null | undefined =>
  value === false ? null : value

/** Throws a usage error if all properties are undefined. */
export function assertChanges(changes: object): void {
  if (Object.values(changes).some((value) => value !== undefined)) return
  throw usageError('no changes given', 'Pass at least one option that changes a property, such as --name.')
}
