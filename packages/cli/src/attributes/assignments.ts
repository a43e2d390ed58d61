import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import type { AttributeChanges } from '@muster/client'
import { usageError } from '../errors/cli-error.ts'

/** New values, keyed by attribute name. Null removes the attribute. */
export type Changes = Map<string, string | null>

/**
 * Parses `name=value`. Unless the command line contains `--`, rejects strings such as `site!=oslo`, `load>=1`,
 * `site==oslo`, and `site = oslo`, which usually mean a comparison.
 */
export function readAssignment(text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1)
    throw usageError(
      `${JSON.stringify(text)} does not have the form name=value`,
      'Write an equals sign after the attribute name, as in site=oslo.',
    )
  const [name, value] = [text.slice(0, at), text.slice(at + 1)]
  if (process.argv.includes('--')) return [name, value]
  const end = /[!<>:~]$/.exec(name)?.[0]
  if (end === undefined && name === name.trim() && !value.startsWith('=')) return [name, value]
  const what =
    end !== undefined
      ? `whose name ends in ${end}`
      : value.startsWith('=')
        ? 'to a value that begins with ='
        : 'whose name begins or ends with a space'
  throw usageError(
    `${JSON.stringify(text)} does not have the form name=value`,
    `Write name=value, such as site=oslo, without other operators or spaces around the equals sign. To set an attribute ${what}, put name=value in quotes, and add the argument -- after the options.`,
  )
}

export async function readFromFile(text: string): Promise<[name: string, value: string]> {
  const [name, path] = readAssignment(text)
  const bytes = await readFile(path).catch((error: Error) => {
    throw usageError(`cannot read the value of ${name}: ${error.message}`)
  })
  if (!isUtf8(bytes)) throw usageError(`the file ${path} is not valid UTF-8`, 'Save the file as UTF-8.')
  return [name, bytes.toString()]
}

export function toChanges(pairs: readonly (readonly [name: string, value: string | null])[]): Changes {
  const changes: Changes = new Map()
  for (const [name, value] of pairs) {
    if (changes.has(name)) throw usageError(`the attribute ${name} appears twice`, 'Pass each attribute once.')
    changes.set(name, value)
  }
  return changes
}

export const toInput = (changes: Changes): AttributeChanges => Object.fromEntries(changes)
