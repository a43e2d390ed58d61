import { canonicalize } from './canonical.ts'
import { byPlace } from './problems.ts'
import { type Resolution, resolveFilter } from './resolve/resolve-filter.ts'
import type { ResolveOptions } from './resolve/resolving.ts'
import { type ParseOptions, parseFilter } from './syntax/parser.ts'

export interface CheckedFilter extends Resolution {
  readonly canonical: string | null
}

/** Parses and resolves a filter. If the filter is valid, formats it in canonical form. Never throws. */
export function checkFilter(text: string, options: ResolveOptions & ParseOptions = {}): CheckedFilter {
  const parsed = parseFilter(text, options)
  const resolution = resolveFilter(parsed, options)
  return {
    ...resolution,
    problems: [...parsed.problems, ...resolution.problems].sort(byPlace),
    canonical: resolution.isValid ? canonicalize(resolution.filter, options.kind) : null,
  }
}
