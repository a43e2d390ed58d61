import { parseSource, type Source } from '../sources/source.ts'
import { attributeNameOf, pathOf } from './attribute-names.ts'
import { configError, type Entry, type Sections } from './ini.ts'
import { parseDuration } from './setting-values.ts'

export interface ReportedValue {
  attribute: string
  written: string
  source: Source
  /** Milliseconds between two readings. */
  every: number
}

interface Defaults {
  every: number
  /** Milliseconds after which the agent stops a command. */
  timeout: number
}

const statusLetters = /^[A-E]$/

export function readReported(sections: Sections, defaults: Defaults): ReportedValue[] {
  const statuses = (sections.get('status') ?? []).map((entry) => {
    if (!statusLetters.test(entry.key))
      throw configError(entry, `the name of a status must be A, B, C, D, or E, not "${entry.key}"`)
    return { entry, attribute: `$svc.status${entry.key}` }
  })
  const others = (sections.get('attributes') ?? []).map((entry) => ({ entry, attribute: attributeNameOf(entry) }))
  const all = [...statuses, ...others]
  assertNoConflicts(all)
  return all.map(({ entry, attribute }) => ({ attribute, written: entry.value, ...readValue(entry, defaults) }))
}

/** Parses `[every TIME] [timeout TIME] SOURCE …`, with the options in any order. */
function readValue(entry: Entry, defaults: Defaults): Pick<ReportedValue, 'source' | 'every'> {
  let { every, timeout } = defaults
  let rest = entry.value
  for (;;) {
    const [whole = '', word, time = ''] = /^(every|timeout)\s+(\S+)\s*/.exec(rest) ?? []
    if (word === undefined) break
    const duration = parseDuration(time)
    if (duration === undefined || duration < 1_000 || duration > 30 * 86_400_000) {
      throw configError(entry, `"${word}" must be followed by a duration from 1s to 30d, such as 5m, not "${time}"`)
    }
    if (word === 'every') every = duration
    else timeout = duration
    rest = rest.slice(whole.length)
  }
  const source = parseSource(rest, { timeout })
  if (typeof source === 'string') throw configError(entry, source)
  return { source, every }
}

function assertNoConflicts(all: readonly { entry: Entry; attribute: string }[]): void {
  for (const { entry, attribute } of all) {
    const [group, name] = pathOf(attribute)
    const other = all.find((each) => {
      if (each.entry === entry) return false
      const [otherGroup, otherName] = pathOf(each.attribute)
      return otherGroup === group && (otherName === name || name === undefined)
    })
    if (other === undefined) continue
    throw configError(
      entry,
      `${attribute} conflicts with ${other.attribute} on line ${other.entry.line}; set each attribute only once, and do not use a name for both a value and a group`,
    )
  }
}
