/** Codes of errors that mean that no connection came about: Node's and Bun's. Browsers do not tell. */
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

/** The server is not whom it should be: another try meets the same. */
const refusedCertificates: ReadonlySet<unknown> = new Set([
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code

/** Deno has no codes but says at which step a request failed. */
export const isUnreachable = (error: unknown): boolean =>
  unreachable.has(codeOf(error)) || (error instanceof Error && error.message.includes('client error (Connect)'))

export const isRefusedCertificate = (error: unknown): boolean => refusedCertificates.has(codeOf(error))
