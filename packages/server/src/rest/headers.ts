/** When the REST API was deprecated, which is from its beginning: 2026-11-20T00:00:00Z. RFC 9745 §2.1: seconds since 1970. */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 20) / 1_000

/** Below this is the REST API. */
export const PREFIX = '/rest/v1'

/** What every answer to a request below the prefix carries: where to go instead and where to read about it (RFC 5829 §3.3, RFC 9745 §3). */
export function deprecationHeaders(url: string): Record<string, string> {
  if (!url.startsWith(`${PREFIX}/`) && url.split('?', 1)[0] !== PREFIX) return {}
  const link = `</graphql/v1>; rel="successor-version", <${PREFIX}>; rel="deprecation"; type="text/markdown"`
  return { deprecation: `@${DEPRECATED_SINCE}`, link }
}

/** The link to the page after this one; undefined for what is no page, and for the last. */
export function nextLink(url: string, answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('hasMore' in answer) || !('cursor' in answer)) return undefined
  if (answer.hasMore !== true || typeof answer.cursor !== 'string') return undefined
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const kept = query.split('&').filter((pair) => pair !== '' && !startsPage.has(decodeURIComponent(nameIn(pair))))
  const next = `${path}?${[...kept, `after=${encodeURIComponent(answer.cursor)}`].join('&')}`
  return `<${next.replace(/[<>"\s]/g, encodeURIComponent)}>; rel="next"`
}

const startsPage: ReadonlySet<string> = new Set(['after', 'last', 'from'])

const nameIn = (pair: string): string => pair.split('=', 1)[0] ?? ''
