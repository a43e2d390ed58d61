/**
 * Imports the library for passkeys on first use, because few requests need it. Removes the library's root certificates,
 * so that it does not request revocation lists from addresses in certificates that the caller sends. The server does
 * not need the root certificates, because it requests no attestation.
 */
export async function loadWebAuthn() {
  const library = await import('@simplewebauthn/server')
  for (const identifier of ['android-key', 'android-safetynet', 'apple'] as const)
    library.SettingsService.setRootCertificates({ identifier, certificates: [] })
  return library
}
