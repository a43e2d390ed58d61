import { readFile } from 'node:fs/promises'
import type { AttributeChanges } from '@muster/client'
import { usageError } from '../cli-error.ts'

/** Names and what they become; null removes. */
export type Changes = Map<string, string | null>

/** Reads `name=value`; the value is all behind the first equals sign, as it is. */
export function readAssignment(text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1)
    throw usageError(`${JSON.stringify(text)} sets nothing`, 'An attribute is set as name=value, such as site=oslo.')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Reads `name=file`: the file's text is the value. */
export async function readFromFile(text: string): Promise<[name: string, value: string]> {
  const [name, path] = readAssignment(text)
  try {
    return [name, await readFile(path, 'utf8')]
  } catch (error) {
    throw usageError(`the value of ${name} cannot be read: ${(error as Error).message}`)
  }
}

/** What is set or removed, none of it named twice. */
export function toChanges(pairs: readonly (readonly [name: string, value: string | null])[]): Changes {
  const changes: Changes = new Map()
  for (const [name, value] of pairs) {
    if (changes.has(name)) throw usageError(`${name} is given twice`)
    changes.set(name, value)
  }
  return changes
}

/** As the API takes them: dotted names at the top level. */
export const toInput = (changes: Changes): AttributeChanges => Object.fromEntries(changes)
