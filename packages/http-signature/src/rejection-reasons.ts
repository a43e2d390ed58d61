/**
 * The reasons for rejecting a signature. `status` is the HTTP status to send. A client that cannot sign with a
 * key cannot learn from the reason whether the key exists.
 */
export const signatureReasons = {
  'both-forms': {
    status: 400,
    meaning:
      'The request has a signature in the Authorization header and another in Signature or Signature-Input, or it has both Signature-Input and a Signature header of form A. Send only one signature.',
  },
  'several-signatures': {
    status: 400,
    meaning: 'Signature-Input or Signature contains several members. Send one signature per request.',
  },
  'target-form': {
    status: 400,
    meaning:
      'The request target must be in origin form: a path that begins with a slash, and a query if there is one. Only printable ASCII without spaces or # is allowed.',
  },
  'too-large': {
    status: 401,
    meaning:
      'The nonce or the headers are too long, or the signature has too many parameters or components. The message contains the limit.',
  },
  malformed: {
    status: 401,
    meaning: 'The credentials cannot be parsed, or the request method is not an uppercase token such as POST.',
  },
  'missing-parameter': {
    status: 401,
    meaning:
      'A parameter is missing: the key ID or, in form A, "signature", "created" (if covered), or "expires" (if covered).',
  },
  'duplicate-parameter': { status: 401, meaning: 'A signature in form A contains the same parameter twice.' },
  'duplicate-component': { status: 401, meaning: 'The signature covers a component twice.' },
  'unsupported-component': {
    status: 401,
    meaning:
      'The signature covers a component that is not supported, has a parameter, or is not allowed with the named algorithm.',
  },
  'duplicate-header': {
    status: 401,
    meaning: 'A covered header, or another header that is allowed only once, is present more than once.',
  },
  'missing-header': { status: 401, meaning: 'A header that the signature depends on is missing.' },
  'malformed-header': {
    status: 401,
    meaning: 'A header that the signature depends on contains characters other than printable ASCII and tabs.',
  },
  'malformed-host': {
    status: 401,
    meaning:
      'The Host header must be a host name or an IP address, with an optional port. An IPv6 address needs brackets.',
  },
  'malformed-date': {
    status: 401,
    meaning:
      'The covered date is not a valid time in the form "Fri, 20 Nov 2026 08:30:18 GMT". UTC is allowed instead of GMT.',
  },
  'not-covered': {
    status: 401,
    meaning: 'The signature does not cover all required components or, in form B, lacks the parameter "created".',
  },
  'algorithm-unsupported': {
    status: 401,
    meaning: 'The signature names an unsupported algorithm. Use hmac-sha256, ed25519, or (only in form A) hs2019.',
  },
  'algorithm-mismatch': {
    status: 401,
    meaning:
      'The signature does not have the length that the named algorithm requires: 32 bytes for hmac-sha256, 64 bytes for ed25519. Name the algorithm of the key.',
  },
  'clock-skew': {
    status: 401,
    meaning:
      "By the server's clock, the request was signed too long ago or too far in the future. The message contains the maximum difference. Synchronize the clocks, and sign each request immediately before you send it.",
  },
  expired: { status: 401, meaning: 'The signature has expired. Sign the request again.' },
  'bad-signature': {
    status: 401,
    meaning: 'The key does not exist, or the signature is not valid for this key and request.',
  },
  'digest-malformed': { status: 401, meaning: 'The covered Content-Digest or Digest header cannot be parsed.' },
  'digest-unsupported': {
    status: 401,
    meaning: 'The covered Content-Digest or Digest header contains an algorithm other than sha-256 or sha-512.',
  },
  'digest-mismatch': { status: 401, meaning: 'The covered digest does not match the received body.' },
  'digest-required': {
    status: 401,
    meaning:
      'The key, the key policy, or the server requires a digest of the body. The signature must cover Content-Digest or Digest.',
  },
  'length-mismatch': {
    status: 401,
    meaning: 'The covered Content-Length is not the number of bytes in the received body.',
  },
} as const satisfies Record<string, { status: 400 | 401; meaning: string }>

export type SignatureReason = keyof typeof signatureReasons

/**
 * A failed check throws this error inside the package. The functions that parse and verify signatures return it as a
 * failure, and the functions that sign requests throw it as a TypeError.
 */
export class Rejection extends Error {
  readonly reason: SignatureReason
  /** The key ID of the request, if it was parsed before the error. */
  keyId: string | undefined

  constructor(reason: SignatureReason, detail?: string) {
    super(detail ?? signatureReasons[reason].meaning)
    this.name = 'Rejection'
    this.reason = reason
  }
}
