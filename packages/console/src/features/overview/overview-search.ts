import { stringOf, validSearch } from '../../hooks/valid-search.ts'

/** The periods that the curve can show, with their lengths in days. */
export const spans = { day: 1, week: 7, month: 30 } as const

export type SpanName = keyof typeof spans

export const isSpan = (value: unknown): value is SpanName => typeof value === 'string' && Object.hasOwn(spans, value)

export interface OverviewSearch {
  /** Default: `day`. */
  span?: SpanName
  by?: string
}

export const overviewSearch = validSearch<OverviewSearch>(({ span, by }) => ({
  span: isSpan(span) ? span : undefined,
  by: stringOf(by),
}))
