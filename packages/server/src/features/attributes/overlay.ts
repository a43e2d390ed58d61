import { type Attributes, copyAttributes } from './attributes.ts'

export function overlay(base: Attributes, overrides: Attributes | undefined): Attributes {
  if (overrides === undefined) return base
  const result = copyAttributes(base)
  for (const [name, value] of Object.entries(overrides)) {
    const below = result[name]
    result[name] =
      typeof value === 'string' || typeof below === 'string' || below === undefined
        ? value
        : Object.assign(below, value)
  }
  return result
}
