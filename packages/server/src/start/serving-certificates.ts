import type { Config } from '../config.ts'
import { type Certificates, openCertificates } from '../tls/certificates.ts'
import type { Running } from './run-until-stopped.ts'

export async function openServingCertificates(running: Running & { config: Config }): Promise<Certificates> {
  const certificates = await openCertificates(running.config, running.log)
  running.closing.add({ name: 'certificates', close: certificates.close, within: 1_000 })
  running.onReload(certificates.reload)
  return certificates
}
