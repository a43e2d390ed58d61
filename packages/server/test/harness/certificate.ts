import { execFile } from 'node:child_process'
import { cp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The paths of a self-signed certificate for 127.0.0.1 and of its private key. */
export interface CertificatePaths {
  cert: string
  key: string
}

export async function createCertificate(
  folder: string,
  name: string,
  extensions: readonly string[] = [],
): Promise<CertificatePaths> {
  const paths = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}-key.pem`) }
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', '/CN=muster.test', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const out = ['-out', paths.cert, '-keyout', paths.key]
  const more = extensions.flatMap((extension) => ['-addext', extension])
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, ...more, ...out])
  return paths
}

/** Replaces a file atomically, as programs that renew certificates do. */
export async function replaceFile(path: string, by: string): Promise<void> {
  await cp(by, `${path}.new`)
  await rename(`${path}.new`, path)
}
