import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SessionCookie {
  /** Returns undefined if the cookie is missing, and null if its signature is invalid. */
  read(header: string | undefined): string | null | undefined
  set(token: string, seconds: number): string[]
  clear(): string[]
}

export const COOKIE_PREFIX = 'muster'

const PLAIN_NAME = `${COOKIE_PREFIX}.session_token`
/**
 * The cookie name over TLS in better-auth and in earlier releases. Servers of different releases may run at the same
 * time, so the server sets cookies with this name and with `HOST_NAME`. It reads `HOST_NAME` first, because no other
 * host can set a cookie with that name.
 */
const SECURE_NAME = `__Secure-${PLAIN_NAME}`
/** Browsers accept this name only over TLS, for the path `/`, and from the host itself (RFC 6265bis §4.1.3.2). */
const HOST_NAME = `__Host-${PLAIN_NAME}`

/**
 * Uses the format of better-auth: the token, a dot, and the token's HMAC-SHA256 in base64, percent-encoded. The
 * database stores only the token, which is useless without the secret.
 */
export function sessionCookie({ secret, isSecure }: { secret: () => string; isSecure: boolean }): SessionCookie {
  const names = isSecure ? [HOST_NAME, SECURE_NAME] : [PLAIN_NAME]
  const attributes = `Path=/; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Strict`
  const sign = (token: string): string => createHmac('sha256', secret()).update(token).digest('base64')
  return {
    read(header) {
      const value = names.map((name) => findCookie(header, name)).find((found) => found !== undefined)
      if (value === undefined) return undefined
      const end = value.lastIndexOf('.')
      const token = value.slice(0, Math.max(end, 0))
      return token !== '' && isSame(value.slice(end + 1), sign(token)) ? token : null
    },
    set(token, seconds) {
      const value = encodeURIComponent(`${token}.${sign(token)}`)
      return names.map((name) => `${name}=${value}; Max-Age=${seconds}; ${attributes}`)
    },
    clear: () => names.map((name) => `${name}=; Max-Age=0; ${attributes}`),
  }
}

/** Returns whether a Cookie header contains a session cookie, valid or not. */
export const hasSessionCookie = (header = ''): boolean => header.includes(`${PLAIN_NAME}=`)

/** Converts a Cookie header for better-auth, which supports only one cookie name. */
export function toBetterAuth(header: string): string {
  const value = findPair(header, HOST_NAME)
  if (value === undefined) return header
  const others = header.split(';').filter((pair) => !pair.trimStart().startsWith(`${SECURE_NAME}=`))
  return [...others, ` ${SECURE_NAME}=${value}`].join(';')
}

export const fromBetterAuth = (setCookies: readonly string[]): string[] =>
  setCookies.flatMap((header) =>
    header.startsWith(`${SECURE_NAME}=`) ? [header.replace(SECURE_NAME, HOST_NAME), header] : [header],
  )

/** Returns the identifier of a pending sign-in from better-auth's cookie, without verifying the cookie's signature. */
export function stepOf(header: string | undefined): string {
  const name = `${COOKIE_PREFIX}.two_factor`
  const value = findCookie(header, `__Secure-${name}`) ?? findCookie(header, name) ?? ''
  return value.slice(0, Math.max(value.lastIndexOf('.'), 0))
}

/** Returns true after a sign-in without a code in a trusted browser, because better-auth then renews the trust. */
export const renewsTrust = (setCookies: readonly string[]): boolean =>
  setCookies.some((header) => header.includes(`${COOKIE_PREFIX}.trust_device=`))

/**
 * Returns the first cookie with the name, because browsers send the cookie with the longest path first (RFC 6265 §5.4).
 * An empty cookie counts as missing.
 */
function findCookie(header: string | undefined, name: string): string | undefined {
  const text = findPair(header, name)
  if (text === undefined || text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function findPair(header: string | undefined, name: string): string | undefined {
  const pair = header?.split(';').find((part) => part.trimStart().startsWith(`${name}=`))
  return pair?.slice(pair.indexOf('=') + 1).trim()
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
