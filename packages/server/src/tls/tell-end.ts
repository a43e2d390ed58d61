import type { FastifyBaseLogger } from 'fastify'
import type { Certificate } from './certificate.ts'

interface TellEndOptions {
  /** Of the certificate. */
  file: string
  log: FastifyBaseLogger
  clock: () => Date
}

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS

/**
 * Warns of the end of the certificate that it is shown, however often that is: once a day from seven days before, at the end itself,
 * and once a day from then on, until it is shown another one.
 */
export function tellEnd({ file, log, clock }: TellEndOptions): (certificate: Pick<Certificate, 'until'>) => void {
  let told: { until: Date; hasEnded: boolean; at: number } | undefined
  return ({ until }) => {
    const now = clock().getTime()
    const left = until.getTime() - now
    if (left > SOON_MS) return
    const hasEnded = left <= 0
    const isTold = told?.until === until && told.hasEnded === hasEnded && now - told.at < DAY_MS
    if (isTold) return
    told = { until, hasEnded, at: now }
    log.warn({ file, until }, hasEnded ? 'the certificate has expired' : 'the certificate will expire soon: renew it')
  }
}
