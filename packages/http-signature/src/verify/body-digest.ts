import { hash } from 'node:crypto'
import { decodeBase64 } from '../algorithms.ts'
import { coveredField, type Fields } from '../message.ts'
import { parseCanonicalDictionary } from '../parse/structured-field.ts'
import { Rejection } from '../rejection-reasons.ts'

/** The two active algorithms of RFC 9530 §5. The deprecated algorithms do not protect against an attacker. */
const hashNames: ReadonlyMap<string, 'sha256' | 'sha512'> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
])

/** Returns the value of `Content-Digest` (RFC 9530 §2) for a body, with SHA-256. */
export const contentDigest = (body: Uint8Array | string): string => `sha-256=:${hash('sha256', body, 'base64')}:`

/** Returns the value of `Digest` (RFC 3230 §4.3.2) for a body, with SHA-256. */
export const digest = (body: Uint8Array | string): string => `SHA-256=${hash('sha256', body, 'base64')}`

/**
 * Rejects a covered digest header that is malformed, names an unsupported algorithm, or does not match the body.
 * Returns whether the signature covers a digest.
 */
export function checkDigests(fields: Fields, components: readonly string[], body: Uint8Array): boolean {
  const members = [
    ...(components.includes('content-digest') ? readContentDigest(coveredField(fields, 'content-digest')) : []),
    ...(components.includes('digest') ? readDigest(coveredField(fields, 'digest')) : []),
  ]
  for (const { algorithm, value } of members) {
    const hashName = hashNames.get(algorithm)
    if (hashName === undefined)
      throw new Rejection(
        'digest-unsupported',
        `The digest algorithm ${algorithm} is not supported. Use sha-256 or sha-512.`,
      )
    if (hash(hashName, body, 'base64') !== value) throw new Rejection('digest-mismatch')
  }
  return members.length > 0
}

type DigestMember = { algorithm: string; value: string }

function readContentDigest(text: string): DigestMember[] {
  const dictionary = parseCanonicalDictionary(text)
  if (dictionary === undefined || dictionary.size === 0)
    throw new Rejection(
      'digest-malformed',
      'Content-Digest must be a canonical Dictionary with at least one member, such as sha-256=:base64: (RFC 9651).',
    )
  const members: DigestMember[] = []
  for (const [algorithm, { bytes }] of dictionary) {
    if (bytes === undefined)
      throw new Rejection(
        'digest-malformed',
        'Each member of Content-Digest must be a byte sequence in the form :base64: (RFC 9651).',
      )
    members.push({ algorithm, value: bytes })
  }
  return members
}

/** Parses a Digest header such as `SHA-256=…,SHA-512=…`, with case-insensitive names (RFC 3230 §4.1.1). */
function readDigest(text: string): DigestMember[] {
  const members = text.split(',').map((part) => {
    const match = /^[ \t]*([A-Za-z0-9-]+)=([A-Za-z0-9+/]+={0,2})[ \t]*$/.exec(part)
    if (match === null || decodeBase64(match[2]!) === undefined)
      throw new Rejection('digest-malformed', 'Digest must have the form SHA-256=base64 or SHA-512=base64.')
    return { algorithm: match[1]!.toLowerCase(), value: match[2]! }
  })
  if (new Set(members.map(({ algorithm }) => algorithm)).size < members.length)
    throw new Rejection('digest-malformed', 'Digest must have only one value for each algorithm.')
  return members
}
