import { readFile } from 'node:fs/promises'
import type { AttributeChanges } from '@muster/client'
import { usageError } from '../errors/cli-error.ts'

/** New values, keyed by attribute name. Null removes the attribute. */
export type Changes = Map<string, string | null>

/**
 * Parses `name=value`. The value is everything after the first equals sign. Users who write `site!=oslo` or `load>=1`
 * rarely mean a name that ends in an operator, so such names require `--` on the command line.
 */
export function readAssignment(text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1)
    throw usageError(`${JSON.stringify(text)} is not name=value`, 'Pass attributes as name=value, such as site=oslo.')
  const name = text.slice(0, at)
  if (/[!<>]$/.test(name) && !process.argv.includes('--')) {
    throw usageError(
      `${JSON.stringify(text)} is a comparison, not name=value`,
      `To set an attribute whose name ends in ${name.at(-1)}, write -- before the target.`,
    )
  }
  return [name, text.slice(at + 1)]
}

/** Parses `name=file`. The value is the file's content. */
export async function readFromFile(text: string): Promise<[name: string, value: string]> {
  const [name, path] = readAssignment(text)
  try {
    return [name, await readFile(path, 'utf8')]
  } catch (error) {
    throw usageError(`cannot read the value of ${name}: ${(error as Error).message}`)
  }
}

/** Collects the changes and rejects duplicate names. */
export function toChanges(pairs: readonly (readonly [name: string, value: string | null])[]): Changes {
  const changes: Changes = new Map()
  for (const [name, value] of pairs) {
    if (changes.has(name)) throw usageError(`${name} appears twice`)
    changes.set(name, value)
  }
  return changes
}

/** Converts changes to the API's input format: dotted names at the top level. */
export const toInput = (changes: Changes): AttributeChanges => Object.fromEntries(changes)
