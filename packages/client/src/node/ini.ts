/** Values, keyed by section and then by name. */
export type Ini = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * Parses an INI file. Removes surrounding whitespace, and the quotes around values. Ignores values before the first
 * section, lines that begin with ; or #, and lines that contain neither a section name nor a value.
 */
export function parseIni(text: string): Ini {
  const sections = new Map<string, Map<string, string>>()
  let section = new Map<string, string>()
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === '' || /^[;#]/.test(line)) continue
    const [, name] = /^\[(.+)\]$/.exec(line) ?? []
    if (name !== undefined) {
      section = sections.get(name.trim()) ?? new Map()
      sections.set(name.trim(), section)
      continue
    }
    const at = line.indexOf('=')
    if (at > 0) section.set(line.slice(0, at).trim(), unquote(line.slice(at + 1).trim()))
  }
  return sections
}

const unquote = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
