import type { FastifyBaseLogger } from 'fastify'
import {
  type Certificate,
  type CertificateFiles,
  checkPair,
  type Pair,
  readCertificate,
  readPair,
} from './certificate.ts'
import { createExpiryWarning } from './expiry-warning.ts'

export interface ServedCertificate {
  current(): Certificate
  onChange(listener: (certificate: Certificate) => void): void
  /** Reads the files without waiting for the next check. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** The server polls, because a file watcher may not notice that a file or a symbolic link to it was replaced. */
const CHECK_INTERVAL_MS = 2_000

/**
 * Rejects with a StartError if the files cannot be read or contain no valid pair. Warns before and after the
 * certificate expires.
 */
export async function serveCertificate(
  files: CertificateFiles,
  log: FastifyBaseLogger,
  clock = () => new Date(),
): Promise<ServedCertificate> {
  const listeners: ((certificate: Certificate) => void)[] = []
  const file = files.cert.file
  let current = await readCertificate(files)
  const warnOfExpiry = createExpiryWarning({ file, log, clock })
  warnOfExpiry(current)
  let failure: string | undefined

  async function check(): Promise<void> {
    try {
      const pair = await readPair(files)
      if (!isSame(pair, current)) replace(checkPair(files, pair))
      failure = undefined
    } catch (error) {
      const reason = (error as Error).message
      if (reason !== failure)
        log.error({ reason }, 'cannot load the certificate files; the previous certificate stays in use')
      failure = reason
    }
    warnOfExpiry(current)
  }

  function replace(certificate: Certificate): void {
    current = certificate
    for (const listener of listeners) listener(certificate)
    log.info({ file, expires: certificate.until }, 'a new certificate is in use')
  }

  let lastCheck = Promise.resolve()
  const queueCheck = (): Promise<void> => {
    lastCheck = lastCheck.then(check)
    return lastCheck
  }
  const timer = setInterval(queueCheck, CHECK_INTERVAL_MS).unref()
  return {
    current: () => current,
    onChange: (listener) => void listeners.push(listener),
    reload() {
      // If the files are still invalid, the next check logs the reason again.
      failure = undefined
      return queueCheck()
    },
    async close() {
      clearInterval(timer)
      await lastCheck
    },
  }
}

const isSame = (one: Pair, other: Pair): boolean => one.cert.equals(other.cert) && one.key.equals(other.key)
