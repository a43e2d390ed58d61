/**
 * Imports the library for passkeys on first use, because few requests need it. Removes the root certificates that the
 * library uses to verify attestations, so that it does not request revocation lists from addresses in certificates that
 * the caller sends. The server does not need these certificates, because it requests no attestation.
 */
export async function loadWebAuthn() {
  const library = await import('@simplewebauthn/server')
  for (const identifier of ['android-key', 'android-safetynet', 'apple'] as const)
    library.SettingsService.setRootCertificates({ identifier, certificates: [] })
  return library
}
