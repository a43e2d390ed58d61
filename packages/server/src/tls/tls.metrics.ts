import type { Metrics } from '../metrics.ts'
import type { ServedCertificate } from './certificate-watch.ts'

export function measureCertificates(
  metrics: Metrics,
  { http, mqtt }: Record<'http' | 'mqtt', ServedCertificate | undefined>,
): void {
  metrics.gauge('certificateSeconds', () => {
    const certificates = Object.entries({ http, mqtt }).filter(([, certificate]) => certificate !== undefined)
    return Object.fromEntries(
      certificates.map(([name, certificate]) => [name, secondsTo(certificate!.current().until)]),
    )
  })
}

const secondsTo = (until: Date): number => Math.round((until.getTime() - Date.now()) / 1_000)
