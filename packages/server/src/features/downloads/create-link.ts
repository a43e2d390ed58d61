import type { Context } from '../../context.ts'
import { ApiError, limitExceeded } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { type DownloadContent, signGrant } from './download-link.ts'
import { recordDownloadLink } from './record-link.ts'

const LINK_LIFETIME_MS = 3_600_000

export interface NewLink {
  path: string
  content: DownloadContent
  /** A description of the content for the DOWNLOAD_LINK_CREATE event, such as the filter or the ID of the bulk job. */
  description: Record<string, unknown>
}

/**
 * Throws FORBIDDEN if the caller uses neither an access key nor a session. A link is valid only as long as the access
 * key or session that requested it.
 */
export function assertMayDownload({ viewer }: Context): void {
  if (viewer.accessKey === undefined && viewer.session === undefined)
    throw new ApiError(
      'FORBIDDEN',
      'only an access key or a session can create a download link: sign the request or sign in',
    )
}

/** The URL is valid for one hour, but not longer than the access key or session that requested it. */
export async function createDownloadLink(context: Context, { path, content, description }: NewLink): Promise<string> {
  assertMayDownload(context)
  const { viewer, clock, origin, linkKey } = context
  const { accountId, personId, accessKey, session } = viewer
  const expires = new Date(clock().getTime() + LINK_LIFETIME_MS)
  const by = { ...(accessKey !== undefined && { accessKey }), ...(session !== undefined && { session, personId }) }
  const token = signGrant({ accountId, ...by, content, expires }, linkKey)
  assertFits(token)
  await recordDownloadLink(context, { description, expires })
  return `${origin}${path}?link=${token}`
}

/** Throws LIMIT_EXCEEDED if the token exceeds the limit, because HTTP servers and proxies reject long request lines. */
function assertFits(token: string): void {
  const limit = limits.downloadLinkLength
  if (token.length <= limit) return
  throw limitExceeded(
    `the filter, the columns, and the device IDs would result in a link of ${token.length} characters, but the limit is ${limit}: shorten the filter, or select fewer columns or devices`,
    { limit, found: token.length },
  )
}
