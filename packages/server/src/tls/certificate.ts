import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { StartError } from '../start-error.ts'

export interface CertificateFiles {
  cert: { setting: string; file: string }
  key: { setting: string; file: string }
}

/** A private key, and a certificate with its chain, in PEM format. */
export interface Pair {
  cert: Buffer
  key: Buffer
}

export interface Certificate extends Pair {
  context: SecureContext
  until: Date
  isFor(host: string): boolean
}

export const MIN_TLS_VERSION = 'TLSv1.2'

export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  return checkPair(files, await readPair(files))
}

export async function readPair({ cert, key }: CertificateFiles): Promise<Pair> {
  return { cert: await readPem(cert), key: await readPem(key) }
}

async function readPem({ setting, file }: CertificateFiles['cert']): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw new StartError(`The file in ${setting} cannot be read: ${(error as Error).message}.`, { cause: error })
  }
}

export function checkPair({ cert, key }: CertificateFiles, pair: Pair): Certificate {
  const properties = readX509(cert, pair.cert)
  try {
    return { ...pair, ...properties, context: createSecureContext({ ...pair, minVersion: MIN_TLS_VERSION }) }
  } catch (error) {
    const cause = (error as Error).message
    const message = `The file in ${key.setting} is not the certificate's private key in PEM format: ${key.file} (${cause}).`
    throw new StartError(message, { cause: error })
  }
}

/** Runs before the check of the pair, so that errors name the invalid file. */
function readX509({ setting, file }: CertificateFiles['cert'], pem: Buffer): Pick<Certificate, 'until' | 'isFor'> {
  try {
    createSecureContext({ cert: pem })
    const certificate = new X509Certificate(pem)
    return {
      until: new Date(certificate.validTo),
      isFor: (host) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
    }
  } catch (error) {
    const cause = (error as Error).message
    throw new StartError(`The file in ${setting} is not a certificate in PEM format: ${file} (${cause}).`, {
      cause: error,
    })
  }
}
