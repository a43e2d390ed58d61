import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { StartError } from '../start-error.ts'

/** Files of a certificate with its chain and of its private key, each with the setting that names it. */
export interface CertificateFiles {
  cert: { setting: string; file: string }
  key: { setting: string; file: string }
}

/** As PEM. */
export interface Pair {
  cert: Buffer
  key: Buffer
}

/** A pair that belongs together, ready to be served. */
export interface Certificate extends Pair {
  context: SecureContext
  /** When it ends. */
  until: Date
  /** Whether clients that call the server so will take it for its own. */
  isFor(host: string): boolean
}

export const LEAST_VERSION = 'TLSv1.2'

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
    throw new StartError(`${setting} cannot be read: ${(error as Error).message}.`, { cause: error })
  }
}

export function checkPair({ cert, key }: CertificateFiles, pair: Pair): Certificate {
  const told = readX509(cert, pair.cert)
  try {
    return { ...pair, ...told, context: createSecureContext({ ...pair, minVersion: LEAST_VERSION }) }
  } catch (error) {
    const cause = (error as Error).message
    const what = `${key.setting} does not name the certificate's private key as PEM: ${key.file} (${cause}).`
    throw new StartError(what, { cause: error })
  }
}

/** By itself, so that the file that is wrong can be named. */
function readX509({ setting, file }: CertificateFiles['cert'], pem: Buffer): Pick<Certificate, 'until' | 'isFor'> {
  try {
    createSecureContext({ cert: pem })
    const certificate = new X509Certificate(pem)
    return {
      until: new Date(certificate.validTo),
      isFor: (host) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
    }
  } catch (error) {
    throw new StartError(`${setting} names no certificate as PEM: ${file}.`, { cause: error })
  }
}
