import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * Returns the code that an authenticator app shows for an otpauth:// URI at the time `at`, in Unix milliseconds
 * (RFC 6238, RFC 4226 §5.3).
 */
export function codeOf(totpUri: string, at = Date.now()): string {
  const parameters = new URL(totpUri).searchParams
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 1_000 / Number(parameters.get('period') ?? 30))))
  const mac = createHmac('sha1', fromBase32(parameters.get('secret') ?? ''))
    .update(counter)
    .digest()
  const number = mac.readUInt32BE(mac[19]! & 0xf) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/**
 * Returns the code of the next 30 seconds, which the server already accepts. Use it after `codeOf`, because each code
 * works once.
 */
export const nextCodeOf = (totpUri: string): string => codeOf(totpUri, Date.now() + 30_000)

/**
 * Returns a code that is invalid now and for the next minute, even if the server also accepts the previous and the next
 * code.
 */
export function wrongCodeOf(totpUri: string): string {
  const right = [-60, -30, 0, 30, 60, 90].map((seconds) => codeOf(totpUri, Date.now() + seconds * 1_000))
  return ['000000', '111111', '222222', '333333', '444444', '555555', '666666'].find((code) => !right.includes(code))!
}

/** Decodes Base32 (RFC 4648 §6). */
export function fromBase32(text: string): Buffer {
  const bits = Array.from(text.replace(/=+$/, ''), (character) =>
    ALPHABET.indexOf(character).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
