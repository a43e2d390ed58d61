import type { FastifyBaseLogger } from 'fastify'
import {
  type Certificate,
  type CertificateFiles,
  checkPair,
  type Pair,
  readCertificate,
  readPair,
} from './certificate.ts'
import { tellEnd } from './tell-end.ts'

/** A certificate that follows its files. */
export interface ServedCertificate {
  current(): Certificate
  /** Tells of every later one. */
  onChange(listener: (certificate: Certificate) => void): void
  /** Reads the files now. */
  reload(): Promise<void>
  close(): Promise<void>
}

/**
 * Looked at by what is in them: a file that is replaced by renaming, or reached by a symbolic link that is, tells a watch on it
 * nothing, and some file systems tell a watch nothing at all.
 */
const LOOK_EVERY_MS = 2_000

/** Rejects with a StartError where the files hold no pair. Warns of a certificate's end, as `tellEnd` says. */
export async function serveCertificate(
  files: CertificateFiles,
  log: FastifyBaseLogger,
  clock = () => new Date(),
): Promise<ServedCertificate> {
  const listeners: ((certificate: Certificate) => void)[] = []
  const file = files.cert.file
  let current = await readCertificate(files)
  const warnOfEnd = tellEnd({ file, log, clock })
  warnOfEnd(current)
  let failure: string | undefined

  async function look(): Promise<void> {
    try {
      const pair = await readPair(files)
      if (!isSame(pair, current)) take(checkPair(files, pair))
      failure = undefined
    } catch (error) {
      const reason = (error as Error).message
      if (reason !== failure) log.error({ reason }, 'a new certificate cannot be served; the one before still is')
      failure = reason
    }
    warnOfEnd(current)
  }

  function take(certificate: Certificate): void {
    current = certificate
    for (const listener of listeners) listener(certificate)
    log.info({ file, until: certificate.until }, 'a new certificate is served')
  }

  let looking = Promise.resolve()
  const lookInTurn = (): Promise<void> => {
    looking = looking.then(look)
    return looking
  }
  const timer = setInterval(lookInTurn, LOOK_EVERY_MS).unref()
  return {
    current: () => current,
    onChange: (listener) => void listeners.push(listener),
    reload() {
      // Whoever asks is told again what is wrong.
      failure = undefined
      return lookInTurn()
    },
    async close() {
      clearInterval(timer)
      await looking
    },
  }
}

const isSame = (one: Pair, other: Pair): boolean => one.cert.equals(other.cert) && one.key.equals(other.key)
