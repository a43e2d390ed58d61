import type { Server } from 'node:http'
import type { Server as SecureServer, ServerOptions } from 'node:https'
import { type Certificate, LEAST_VERSION } from '../tls/certificate.ts'
import type { ServedCertificate } from '../tls/served-certificate.ts'
import { arrivalTimeouts } from './request-bodies.ts'

/** A handshake may take this long. */
const HANDSHAKE_MS = 10_000

/** Options of a server that speaks TLS only. */
export const secureOptions = (certificate: ServedCertificate): ServerOptions => ({
  ...contextOf(certificate.current()),
  ...arrivalTimeouts,
  handshakeTimeout: HANDSHAKE_MS,
})

/** Has connections from now on see every later certificate; those that are open go on. */
export function followCertificate(server: Server, certificate: ServedCertificate): void {
  certificate.onChange((next) => (server as SecureServer).setSecureContext(contextOf(next)))
}

const contextOf = ({ cert, key }: Certificate): ServerOptions => ({ cert, key, minVersion: LEAST_VERSION })
