import { type CliError, usageError } from '../../errors/cli-error.ts'

export interface Entry {
  key: string
  value: string
  file: string
  line: number
}

/** A file's settings, keyed by section. The key `''` is for the settings before the first section. */
export type Sections = ReadonlyMap<string, Entry[]>

/** `#` and `;` begin a comment only at the start of a trimmed line. Quotes and backslashes have no special meaning. */
export function parseIni(text: string, file: string, known: readonly string[]): Sections {
  const sections = new Map<string, Entry[]>([['', []]])
  let section = ''
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n?|\n/)
    .entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const place = { file, line: index + 1 }
    const heading = /^\[\s*([^\]]*?)\s*\]$/.exec(line)?.[1]
    if (heading !== undefined) {
      if (!known.includes(heading))
        throw configError(place, `unknown section [${heading}]. Known sections: ${bracketed(known)}`)
      section = heading
      if (!sections.has(section)) sections.set(section, [])
      continue
    }
    const [, key, value] = /^([^=]+?)\s*=\s*(.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined) throw configError(place, 'expected "name = value" or "[section]"')
    const entries = sections.get(section)!
    const before = entries.find((entry) => entry.key === key)
    if (before !== undefined) throw configError(place, `"${key}" is already set on line ${before.line}`)
    entries.push({ key, value, ...place })
  }
  return sections
}

const bracketed = (names: readonly string[]): string => names.map((name) => `[${name}]`).join(', ')

export const configError = ({ file, line }: Pick<Entry, 'file' | 'line'>, what: string): CliError =>
  usageError(`${file}, line ${line}: ${what}`)
