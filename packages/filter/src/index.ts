export { canonicalize } from './canonical.ts'
export { type CheckedFilter, checkFilter } from './check-filter.ts'
export { type Chip, fromChips, showChipValue, toChips, writeChipValue } from './editor/chips.ts'
export {
  type CompletionItem,
  type Completions,
  completionsAt,
  type Expectation,
} from './editor/completions-at-cursor.ts'
export { type HighlightToken, tokens } from './editor/highlight.ts'
export { type FilterLimit, filterLimits } from './limits.ts'
export { type AttributeName, isReservedShortName, splitAttributeName } from './names/attribute-name.ts'
export {
  type DeviceField,
  type EventField,
  type FieldType,
  type FilterKind,
  type FunctionName,
  fieldType,
  fieldTypes,
  functionNames,
  needsAttributesPrefix,
  type ServiceField,
  sourceKinds,
} from './names/fields.ts'
export { type Position, positionAt, type Span, toCodePoints, toIndex } from './positions.ts'
export type { FilterProblem } from './problems.ts'
export { type FilterReads, readsOf, wordFields } from './reads.ts'
export type { FilterUsage } from './resolve/forbidden-terms.ts'
export { type IndexOptions, isIndexed } from './resolve/indexing.ts'
export { type Resolution, resolveFilter } from './resolve/resolve-filter.ts'
export { printName } from './resolve/resolve-name.ts'
export type * from './resolve/resolved.ts'
export type { KnownNames, ResolveOptions } from './resolve/resolving.ts'
export { type ParsedFilter, type ParseOptions, parseFilter } from './syntax/parser.ts'
export { printFilter } from './syntax/print.ts'
export { type Parts, quote, writeNameArgument, writeValue } from './syntax/quote.ts'
export type { Comparator } from './syntax/token.ts'
export type * from './syntax/tree.ts'
