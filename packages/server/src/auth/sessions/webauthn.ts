/**
 * Imports the library for passkeys on first use, because few requests need it. Without root certificates, the library
 * does not request revocation lists. Their addresses are in certificates that the caller sends, and the server requests
 * no attestation.
 */
export async function loadWebAuthn() {
  const library = await import('@simplewebauthn/server')
  for (const identifier of ['android-key', 'android-safetynet', 'apple'] as const)
    library.SettingsService.setRootCertificates({ identifier, certificates: [] })
  return library
}
