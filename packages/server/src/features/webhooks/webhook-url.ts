import { ApiError, badInput } from '../../errors.ts'
import { assertText } from '../../graphql/text.ts'
import { limits } from '../../limits.ts'
import type { Outbound } from '../../outbound/outbound.ts'

/**
 * Refuses a URL that could not be sent to, or must not be. A name that has no address now may get one later: every connection is
 * checked again. Which address a name has is not said: names of the server's own network are nobody's to ask for.
 */
export async function assertWebhookUrl(text: string, outbound: Outbound): Promise<void> {
  assertText(text, 'url', limits.webhookUrlLength)
  const url = parseUrl(text)
  if ((await outbound.findForbidden(url)) !== undefined) {
    throw badInput(
      `url must lead to an address that anybody can reach, which ${url.hostname} does not (MUSTER_WEBHOOK_ALLOW can allow it)`,
    )
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:\/\//i.test(text) || !/^https?:$/.test(url.protocol))
    throw badInput('url must be a whole http or https URL, such as https://example.com/hook')
  if (url.username !== '' || url.password !== '') {
    throw new ApiError('BAD_USER_INPUT', 'url must not hold a user name or password: deliveries are signed instead')
  }
  if (url.hash !== '') throw badInput('url must not have a fragment (#…): it would not be sent')
  return url
}
