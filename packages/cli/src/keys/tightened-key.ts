import type { Permission } from '@muster/client'
import { usageError } from '../errors/cli-error.ts'
import { counted } from '../output/counted.ts'
import type { KeyRow } from './key-columns.ts'

export function tightenedKey(key: KeyRow, permissions: readonly Permission[], days: number): string {
  if (permissions.length === 0) {
    const message = `the key used none of its permissions in the last ${counted(days, 'day')}`
    throw usageError(message, 'Increase --days, or delete the key.')
  }
  const { name, attributes } = key
  const options = [
    ['--permissions', permissions.join(',')],
    ...restrictionOf(attributes),
    ...(key.where === null ? [] : [['--where', key.where]]),
    ...(key.view === null ? [] : [['--view', key.view.id]]),
    ...(key.context === null ? [] : [['--context', key.context]]),
    ...(key.networks.length === 0 ? [] : [['--networks', key.networks.join(',')]]),
    ...(key.rateShare === 100 ? [] : [['--rate-share', `${key.rateShare}`]]),
    ...(key.expires === null ? [] : [['--expires', key.expires]]),
    ...(key.readOnly ? [['--read-only']] : []),
    ...(key.requireDigest ? [['--require-digest']] : []),
    ...(key.kind === 'personal' ? [['--personal']] : []),
  ]
  return ['muster keys create', ...(name === null ? [] : [name]), ...options.flat()]
    .map((word, index) => (index === 0 ? word : quoted(word)))
    .join(' ')
}

/** Returns the options that restrict the new key to the attributes of the old key. */
function restrictionOf(attributes: KeyRow['attributes']): string[][] {
  if (attributes === null) return []
  const { read, write } = attributes
  return [
    ...(read.length > 0 || write.length === 0 ? [['--read', read.join(',')]] : []),
    ...(write.length > 0 ? [['--write', write.join(',')]] : []),
  ]
}

/** Quotes a word for a POSIX shell if it needs quotes. */
const quoted = (word: string): string => (/^[\w./:,@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
