import { parseSource, type Source } from '../sources/source.ts'
import { attributeNameOf, pathOf } from './attribute-names.ts'
import { type Entry, type Sections, wrong } from './ini.ts'
import { parseDuration } from './setting.ts'

/** An attribute of the device and where its value comes from. */
export interface ReportedValue {
  attribute: string
  /** As written in the configuration. */
  written: string
  source: Source
  /** Milliseconds between two looks. */
  every: number
}

interface Usual {
  every: number
  /** Milliseconds that a command may take. */
  timeout: number
}

const statusLetters = /^[A-E]$/

/** What the sections [status] and [attributes] say. */
export function readReported(sections: Sections, usual: Usual): ReportedValue[] {
  const statuses = (sections.get('status') ?? []).map((entry) => {
    if (!statusLetters.test(entry.key)) throw wrong(entry, `a status is one of A, B, C, D, E, not "${entry.key}"`)
    return { entry, attribute: `$svc.status${entry.key}` }
  })
  const others = (sections.get('attributes') ?? []).map((entry) => ({ entry, attribute: attributeNameOf(entry) }))
  const all = [...statuses, ...others]
  assertTogether(all)
  return all.map(({ entry, attribute }) => ({ attribute, written: entry.value, ...readValue(entry, usual) }))
}

/** `[every TIME] [timeout TIME] SOURCE …` */
function readValue(entry: Entry, usual: Usual): Pick<ReportedValue, 'source' | 'every'> {
  let { every, timeout } = usual
  let rest = entry.value
  for (;;) {
    const [whole = '', word, time = ''] = /^(every|timeout)\s+(\S+)\s*/.exec(rest) ?? []
    if (word === undefined) break
    const duration = parseDuration(time)
    if (duration === undefined || duration < 1_000 || duration > 30 * 86_400_000) {
      throw wrong(entry, `"${word}" is followed by a time such as 30s, 5m or 1h, not "${time}"`)
    }
    if (word === 'every') every = duration
    else timeout = duration
    rest = rest.slice(whole.length)
  }
  const source = parseSource(rest, { timeout })
  if (typeof source === 'string') throw wrong(entry, source)
  return { source, every }
}

/** A name is a value or a group, never both; so the API has it. */
function assertTogether(all: readonly { entry: Entry; attribute: string }[]): void {
  for (const { entry, attribute } of all) {
    const [group, name] = pathOf(attribute)
    const other = all.find((each) => {
      if (each.entry === entry) return false
      const [otherGroup, otherName] = pathOf(each.attribute)
      return otherGroup === group && (otherName === name || name === undefined)
    })
    if (other === undefined) continue
    throw wrong(entry, `${attribute} does not go together with ${other.attribute} in line ${other.entry.line}`)
  }
}
