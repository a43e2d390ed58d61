/**
 * Imports the library for passkeys on first use, because few requests need it. Removes the root certificates with which
 * the library verifies attestations. With them, the library would request revocation lists from addresses in
 * certificates that the caller sends. The server requests no attestation, so it does not need root certificates.
 */
export async function loadWebAuthn() {
  const library = await import('@simplewebauthn/server')
  for (const identifier of ['android-key', 'android-safetynet', 'apple'] as const)
    library.SettingsService.setRootCertificates({ identifier, certificates: [] })
  return library
}
