import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { badInput } from '../../../errors.ts'
import type { JsonFields } from '../../../lib/json-fields.ts'
import { assertText, characters } from '../../../lib/string-checks.ts'

/** The limits on the length of new passwords, in characters. Existing passwords may be shorter. */
export const PASSWORD_LENGTH = { min: 12, max: 128 }

// The format is that of better-auth's crypto/password: `salt:key` in hex. scrypt receives the hex string of the salt
// rather than its bytes, and the password in Unicode NFKC. better-auth reads these hashes unchanged.
const parameters = { N: 16_384, r: 16, p: 1 }
const KEY_BYTES = 64
// scrypt needs more than 128·N·r bytes (RFC 7914 §5). Node's default limit is exactly that amount, which is too low, so
// this limit is twice as high.
const options: ScryptOptions = { ...parameters, maxmem: 128 * parameters.N * parameters.r * 2 }

export function readNewPassword(fields: JsonFields, name: string): string {
  const password = fields.text(name)
  const { min, max } = PASSWORD_LENGTH
  assertText(password, name, max)
  const found = characters(password)
  if (found < min) throw badInput(`${name} must have at least ${min} characters, found ${found}`)
  return password
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  return `${salt}:${(await deriveKey(password, salt)).toString('hex')}`
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [salt = '', key = ''] = hash.split(':')
  const [given, expected] = [await deriveKey(password, salt), Buffer.from(key, 'hex')]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const deriveKey = (password: string, salt: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    )
  })

/** Returns 144 random bits as a string that is easy to type and paste. */
export const generatePassword = (): string => randomBytes(18).toString('base64url')
