/** Node.js error codes for a certificate without a trusted issuer. */
const untrusted: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export function describeError(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string }
  if (untrusted.has(code))
    return 'the server certificate is not trusted; set "ca" in the configuration to a file of trusted certificates'
  return message || String(code)
}
