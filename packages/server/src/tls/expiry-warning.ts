import type { FastifyBaseLogger } from 'fastify'
import type { Certificate } from './certificate.ts'

interface ExpiryWarningOptions {
  file: string
  log: FastifyBaseLogger
  clock: () => Date
}

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS

/**
 * Returns a function that logs a warning at most once a day for each certificate, from seven days before the
 * certificate expires. The first call after the expiration always logs a warning.
 */
export function createExpiryWarning({
  file,
  log,
  clock,
}: ExpiryWarningOptions): (certificate: Pick<Certificate, 'until'>) => void {
  let lastWarning: { until: Date; hasExpired: boolean; at: number } | undefined
  return ({ until }) => {
    const now = clock().getTime()
    const remaining = until.getTime() - now
    if (remaining > SOON_MS) return
    const hasExpired = remaining <= 0
    const isRepeated =
      lastWarning?.until === until && lastWarning.hasExpired === hasExpired && now - lastWarning.at < DAY_MS
    if (isRepeated) return
    lastWarning = { until, hasExpired, at: now }
    log.warn({ file, expires: until }, `the certificate ${hasExpired ? 'has expired' : 'will expire soon'}: renew it`)
  }
}
