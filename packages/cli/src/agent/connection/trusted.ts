import { readFile } from 'node:fs/promises'
import { getCACertificates } from 'node:tls'
import { CliError, exitCodes } from '../../cli-error.ts'

/** Certificates to trust: those of Node and those of the file; undefined for Node's alone. */
export async function trustedCertificates(file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined) return undefined
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CliError(`the certificates cannot be read: ${error.message}`, { exitCode: exitCodes.usage })
  })
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new CliError(`${file} holds no certificates in PEM`, { exitCode: exitCodes.usage })
  }
  return [...getCACertificates('default'), text]
}
