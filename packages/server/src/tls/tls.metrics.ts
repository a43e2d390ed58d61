import type { Metrics } from '../metrics.ts'
import type { Certificates } from './certificates.ts'

export function measureCertificates(metrics: Metrics, { http, mqtt }: Certificates): void {
  metrics.gauge('certificateSeconds', () => {
    const certificates = Object.entries({ http, mqtt }).filter(([, certificate]) => certificate !== undefined)
    return Object.fromEntries(
      certificates.map(([name, certificate]) => [name, secondsTo(certificate!.current().until)]),
    )
  })
}

const secondsTo = (until: Date): number => Math.round((until.getTime() - Date.now()) / 1_000)
