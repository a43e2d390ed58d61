import { createHmac, timingSafeEqual } from 'node:crypto'

/** How the cookie of a session is named, signed and kept by browsers. */
export interface SessionCookie {
  /** The token in a Cookie header; undefined without this cookie, null where its signature is not ours. */
  read(header: string | undefined): string | null | undefined
  /** A Set-Cookie header that keeps the session for so long. */
  keep(token: string, seconds: number): string
  /** A Set-Cookie header that makes the browser forget it. */
  forget(): string
}

export const COOKIE_PREFIX = 'muster'

/**
 * The form is better-auth's, which sets the cookie at sign-in: the token, a dot and the HMAC-SHA256 of the token in base64,
 * percent-encoded. What the database holds is the token alone, which nobody can use without the secret.
 */
export function sessionCookie({ secret, isSecure }: { secret: () => string; isSecure: boolean }): SessionCookie {
  const name = `${isSecure ? '__Secure-' : ''}${COOKIE_PREFIX}.session_token`
  const attributes = `Path=/; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Strict`
  const sign = (token: string): string => createHmac('sha256', secret()).update(token).digest('base64')
  return {
    read(header) {
      const value = findCookie(header, name)
      if (value === undefined) return undefined
      const end = value.lastIndexOf('.')
      const token = value.slice(0, Math.max(end, 0))
      return token !== '' && isSame(value.slice(end + 1), sign(token)) ? token : null
    },
    keep: (token, seconds) =>
      `${name}=${encodeURIComponent(`${token}.${sign(token)}`)}; Max-Age=${seconds}; ${attributes}`,
    forget: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}

/** RFC 6265 §5.4: the first of a name is the most specific one. */
function findCookie(header: string | undefined, name: string): string | undefined {
  const pair = header?.split(';').find((part) => part.trimStart().startsWith(`${name}=`))
  const text = pair?.slice(pair.indexOf('=') + 1).trim()
  if (text === undefined || text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
