/** What Node calls a certificate that leads to none that is trusted. */
const untrusted: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Why a connection failed, for whoever runs the agent. */
export function inWords(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string }
  if (untrusted.has(code)) return 'its certificate is not trusted: "ca" in the configuration names more to trust'
  return message || String(code)
}
