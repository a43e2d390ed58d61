import { readFile } from 'node:fs/promises'
import { getCACertificates } from 'node:tls'
import { usageError } from '../../errors/cli-error.ts'

/**
 * Returns the Node.js default certificates and the file's certificates, or undefined if no file is set. Throws if the
 * file cannot be read or contains no PEM certificate.
 */
export async function readTrustedCertificates(file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined) return undefined
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`cannot read the certificates in ${file}: ${error.message}`)
  })
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw usageError(
      `${file} contains no PEM certificates`,
      'Set "ca" in the configuration to a file with certificates that begin with -----BEGIN CERTIFICATE-----.',
    )
  }
  return [...getCACertificates('default'), text]
}
