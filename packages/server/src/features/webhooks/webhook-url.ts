import { ApiError, badInput } from '../../errors.ts'
import { assertText } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import type { Outbound } from '../../outbound/outbound-post.ts'

/**
 * Rejects invalid webhook URLs and forbidden addresses. Does not resolve host names, because the result would reveal
 * which names exist in the server's network. The server checks the resolved addresses on every connection instead.
 */
export function assertWebhookUrl(text: string, outbound: Outbound): void {
  assertText(text, 'url', limits.webhookUrlLength)
  const url = parseUrl(text)
  if (outbound.isForbidden(url))
    throw badInput(
      `url must point to a public address, but ${url.hostname} is not public (the server setting MUSTER_WEBHOOK_ALLOW can allow it)`,
    )
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:\/\//i.test(text) || !/^https?:$/.test(url.protocol))
    throw badInput('url must be an absolute http or https URL, such as https://example.com/hook')
  if (url.username !== '' || url.password !== '')
    throw new ApiError('BAD_USER_INPUT', 'url must not contain a user name or password: deliveries are signed instead')
  if (url.hash !== '') throw badInput('url must not contain a fragment (#…): fragments are not sent')
  return url
}
