import { printName, splitAttributeName } from '@muster/filter'
import { badInput } from '../../errors.ts'
import { type ReadFilter, readFilter } from './read-filter.ts'
import type { ValueSubject } from './sql/value-source.ts'

/**
 * Parses the name of a field or an attribute. Throws BAD_USER_INPUT for any other name. The returned `filter` matches
 * the devices that have a value for the name. Use the filter to check whether the account has used the name.
 */
export function readSubject(name: string, path: string): { subject: ValueSubject; filter: ReadFilter } {
  const read = readFilter(`${printName(splitAttributeName(name))}:*`, { kind: 'device', path, isName: true })!
  const { filter } = read
  const found = filter.type === 'services' ? filter.condition : filter
  if (found?.type !== 'present')
    throw badInput(`${path} must be a field or an attribute, such as services.port or site`)
  return { subject: found.subject, filter: read }
}
