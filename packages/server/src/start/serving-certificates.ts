import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'
import { type ServedCertificate, serveCertificate } from '../tls/certificate-watch.ts'
import type { Running } from './run-until-stopped.ts'

/** A certificate is undefined if its listener has no TLS. */
export interface Certificates {
  http: ServedCertificate | undefined
  mqtt: ServedCertificate | undefined
  reload(): Promise<void>
  close(): Promise<void>
}

export async function openServingCertificates(running: Running & { config: Config }): Promise<Certificates> {
  const certificates = await openCertificates(running.config, running.log)
  running.closing.add({ name: 'certificates', close: certificates.close, within: 1_000 })
  running.onReload(certificates.reload)
  return certificates
}

type TlsConfig = Pick<Config, 'tlsCert' | 'tlsKey' | 'mqttTlsCert' | 'mqttTlsKey'>

export async function openCertificates(config: TlsConfig, log: FastifyBaseLogger): Promise<Certificates> {
  const http = await open({ prefix: 'MUSTER_TLS', cert: config.tlsCert, key: config.tlsKey }, log)
  const mqtt = await open({ prefix: 'MUSTER_MQTT_TLS', cert: config.mqttTlsCert, key: config.mqttTlsKey }, log)
  const all = [http, mqtt].filter((each) => each !== undefined)
  return {
    http,
    mqtt,
    reload: async () => void (await Promise.all(all.map((each) => each.reload()))),
    close: async () => void (await Promise.all(all.map((each) => each.close()))),
  }
}

interface CertificateSettings {
  /** The prefix that the names of both settings have in common. */
  prefix: string
  cert: string | undefined
  key: string | undefined
}

async function open(
  { prefix, cert, key }: CertificateSettings,
  log: FastifyBaseLogger,
): Promise<ServedCertificate | undefined> {
  if (cert === undefined && key === undefined) return undefined
  const settings = { cert: `${prefix}_CERT`, key: `${prefix}_KEY` }
  if (cert === undefined || key === undefined)
    throw new StartError(`Set both ${settings.cert} and ${settings.key}, or neither.`)
  const files = { cert: { setting: settings.cert, file: cert }, key: { setting: settings.key, file: key } }
  return serveCertificate(files, log)
}
