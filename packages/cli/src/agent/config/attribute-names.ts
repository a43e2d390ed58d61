import { type Entry, wrong } from './ini.ts'

const LEVEL_LENGTH = 128
const reserved = /^\$svc\.(status|category)[A-E]$/

/** The first dot parts a group from the name in it. */
export function pathOf(attribute: string): [string, string | undefined] {
  const dot = attribute.indexOf('.')
  return dot < 0 ? [attribute, undefined] : [attribute.slice(0, dot), attribute.slice(dot + 1)]
}

/** The name of an attribute that a device may set on itself. */
export function attributeNameOf(entry: Entry): string {
  const name = entry.key
  const levels = pathOf(name).filter((level) => level !== undefined)
  if (name.startsWith('.') || name.endsWith('.'))
    throw wrong(entry, `an attribute's name has a dot inside only, not as "${name}" has it`)
  if (levels.some((level) => Array.from(level).length > LEVEL_LENGTH))
    throw wrong(entry, `a level of an attribute's name has at most ${LEVEL_LENGTH} characters`)
  if (/[\p{Cc}\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/u.test(name))
    throw wrong(entry, "an attribute's name must not contain control characters or invisible characters")
  if (name.startsWith('$') && !reserved.test(name))
    throw wrong(entry, `"${name}" is reserved: of names with $ there are $svc.statusA to E and $svc.categoryA to E`)
  return name
}
