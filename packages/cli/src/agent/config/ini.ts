import { CliError, exitCodes } from '../../cli-error.ts'

/** A setting with where it stands, for messages that name the place. */
export interface Entry {
  key: string
  value: string
  file: string
  line: number
}

/** The settings of a file by their sections; those before the first section are in `''`. */
export type Sections = ReadonlyMap<string, Entry[]>

/**
 * Reads `key = value` lines in `[sections]`. A line that begins with `#` or `;` is a comment; further on in a line they are part of
 * the value, which commands need. Nothing is quoted or escaped.
 */
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
        throw wrong(place, `there is no section [${heading}]; there are ${bracketed(known)}`)
      section = heading
      if (!sections.has(section)) sections.set(section, [])
      continue
    }
    const [, key, value] = /^([^=]+?)\s*=\s*(.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined) throw wrong(place, 'a line is "name = value" or a "[section]"')
    const entries = sections.get(section)!
    const before = entries.find((entry) => entry.key === key)
    if (before !== undefined) throw wrong(place, `"${key}" stands in line ${before.line} already`)
    entries.push({ key, value, ...place })
  }
  return sections
}

const bracketed = (names: readonly string[]): string => names.map((name) => `[${name}]`).join(', ')

/** What is wrong with a file, said with the place. */
export const wrong = ({ file, line }: Pick<Entry, 'file' | 'line'>, what: string): CliError =>
  new CliError(`${file}, line ${line}: ${what}`, { exitCode: exitCodes.usage })
