/** The time of the REST API's release, 2026-11-20T00:00:00Z, in seconds since 1970 (RFC 9745 §2.1). */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 20) / 1_000

export const PREFIX = '/rest/v1'

/** For URLs of the REST API, returns headers that announce its deprecation, with links (RFC 5829, RFC 9745 §3). */
export function deprecationHeaders(url: string): Record<string, string> {
  if (!url.startsWith(`${PREFIX}/`) && url.split('?', 1)[0] !== PREFIX) return {}
  const link = `</graphql/v1>; rel="successor-version", <${PREFIX}>; rel="deprecation"; type="text/markdown"`
  return { deprecation: `@${DEPRECATED_SINCE}`, link }
}
