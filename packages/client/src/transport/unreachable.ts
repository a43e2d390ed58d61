/** Node.js and Bun error codes for connections that could not be established. Browsers do not report such codes. */
const unreachable: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/** Error codes for an invalid server certificate. A retry would also fail. */
const certificateErrors: ReadonlySet<unknown> = new Set([
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code

/**
 * Returns whether the error shows that no connection was established. Recognizes Deno's errors by their messages,
 * because Deno's errors have no codes.
 */
export const isUnreachable = (error: unknown): boolean =>
  unreachable.has(codeOf(error)) || (error instanceof Error && error.message.includes('client error (Connect)'))

export const isCertificateRejected = (error: unknown): boolean => certificateErrors.has(codeOf(error))
