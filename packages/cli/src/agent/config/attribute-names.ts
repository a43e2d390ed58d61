import { configError, type Entry } from './ini.ts'

const LEVEL_LENGTH = 128
const reserved = /^\$svc\.(status|category)[A-E]$/

export function pathOf(attribute: string): [string, string | undefined] {
  const dot = attribute.indexOf('.')
  return dot < 0 ? [attribute, undefined] : [attribute.slice(0, dot), attribute.slice(dot + 1)]
}

export function attributeNameOf(entry: Entry): string {
  const name = entry.key
  const levels = pathOf(name).filter((level) => level !== undefined)
  if (levels.some((level) => level === '' || level.startsWith('.') || level.endsWith('.')))
    throw configError(
      entry,
      `a level of the attribute name "${name}" must not be empty, and must not begin or end with a dot`,
    )
  if (levels.some((level) => Array.from(level).length > LEVEL_LENGTH))
    throw configError(
      entry,
      `an attribute name must have at most ${LEVEL_LENGTH} characters before its first dot and at most ${LEVEL_LENGTH} after this dot`,
    )
  if (/[\p{Cc}\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/u.test(name))
    throw configError(entry, 'an attribute name must not contain control characters or invisible characters')
  if (name.startsWith('$') && !reserved.test(name))
    throw configError(
      entry,
      `"${name}" is reserved: the only allowed names that begin with $ are $svc.statusA to $svc.statusE and $svc.categoryA to $svc.categoryE`,
    )
  return name
}
