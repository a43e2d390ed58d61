/** The periods that the curve can show, in days. */
export const spans = { day: 1, week: 7, month: 30 } as const

export type SpanName = keyof typeof spans

export const isSpan = (value: unknown): value is SpanName => typeof value === 'string' && Object.hasOwn(spans, value)

/** The page's state in its URL. */
export interface OverviewSearch {
  /** The period that the curve shows. Default: day. */
  span?: SpanName
  /** The field or attribute whose values are counted. */
  by?: string
}

/** Parses search parameters. Invalid values are ignored. */
export function overviewSearch({ span, by }: Record<string, unknown>): OverviewSearch {
  return {
    ...(isSpan(span) ? { span } : {}),
    ...(typeof by === 'string' && by !== '' ? { by } : {}),
  }
}
