import { isUtf8 } from 'node:buffer'
import { deviceAuthError } from '../auth/authentication-reasons.ts'

export interface BasicCredentials {
  user: string
  password: string
}

/**
 * Reads Basic credentials (RFC 7617 §2). Returns undefined without an Authorization header. Throws UNAUTHENTICATED if
 * the header is malformed or has another scheme.
 */
export function readBasicCredentials(authorization: string | undefined): BasicCredentials | undefined {
  if (authorization === undefined) return undefined
  const [, encoded] = /^basic +([a-z0-9+/_-]+={0,2}) *$/i.exec(authorization) ?? []
  const bytes = Buffer.from(encoded ?? '', 'base64')
  const text = isUtf8(bytes) ? bytes.toString('utf8') : ''
  const colon = text.indexOf(':')
  if (colon < 0) throw deviceAuthError('malformed-credentials')
  return { user: text.slice(0, colon), password: text.slice(colon + 1) }
}
