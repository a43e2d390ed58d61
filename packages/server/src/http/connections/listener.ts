import type { Server } from 'node:http'
import type { Server as SecureServer, ServerOptions } from 'node:https'
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Config } from '../../config.ts'
import { type Certificate, MIN_TLS_VERSION } from '../../tls/certificate.ts'
import type { ServedCertificate } from '../../tls/certificate-watch.ts'
import { type ConnectionLimitsOptions, limitConnections } from './connection-limits.ts'
import { arrivalTimeouts, HANDSHAKE_MS } from './timeouts.ts'

export interface ListenerOptions extends ConnectionLimitsOptions {
  config: ConnectionLimitsOptions['config'] & Pick<Config, 'keepAliveTimeout' | 'requestTimeout'>
  /** If set, the server accepts only TLS connections. */
  certificate?: ServedCertificate | undefined
}

export function createListener(options: FastifyServerOptions<Server>, limits: ListenerOptions): FastifyInstance {
  const { certificate, config } = limits
  const timeouts = arrivalTimeouts(config)
  const transport =
    certificate === undefined
      ? { http: timeouts }
      : { https: { ...timeouts, ...contextOf(certificate.current()), handshakeTimeout: HANDSHAKE_MS } }
  const { requestTimeout, keepAliveTimeout } = config
  // On a slow or busy machine, loading a plugin could take longer than Fastify's default limit of 10 s.
  const times = { requestTimeout, keepAliveTimeout, pluginTimeout: 0 }
  const app = fastify({ ...options, ...transport, ...times } as FastifyServerOptions<Server>)
  // A new certificate applies only to new connections.
  certificate?.onChange((next) => (app.server as unknown as SecureServer).setSecureContext(contextOf(next)))
  limitConnections(app, limits)
  return app
}

const contextOf = ({ cert, key }: Certificate): ServerOptions => ({ cert, key, minVersion: MIN_TLS_VERSION })
