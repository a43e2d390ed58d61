import { setting } from './setting.ts'
import { flag, hostName, integer, oneOf, origin, origins, ranges, token } from './values.ts'

/** How the server is reached over HTTP, and what it tells of itself. */
export const httpSettings = {
  host: setting({
    name: 'HOST',
    meaning:
      'Address to listen on, for HTTP and MQTT alike. 127.0.0.1: nothing but this machine reaches the server; 0.0.0.0: every network that it is in.',
    default: '127.0.0.1',
    parse: (text) => hostName(text ?? '127.0.0.1'),
  }),
  port: setting({
    name: 'PORT',
    meaning: 'TCP port to listen on; 0 for any free one.',
    default: '4000',
    parse: (text) => integer(text ?? '4000', 0, 65_535),
  }),
  tlsCert: setting({
    name: 'MUSTER_TLS_CERT',
    meaning:
      'File of the certificate, with its chain, as PEM: PORT then speaks HTTPS only. It is read again when it changes, and on SIGHUP.',
    default: 'not set',
    parse: (text) => text,
  }),
  tlsKey: setting({
    name: 'MUSTER_TLS_KEY',
    meaning: 'File of the private key of MUSTER_TLS_CERT, as PEM.',
    default: 'not set',
    parse: (text) => text,
  }),
  publicUrl: setting({
    name: 'MUSTER_PUBLIC_URL',
    meaning:
      'The address by which clients reach the server (behind a proxy, or as in its certificate): scheme, host and port, no path.',
    default: 'not set',
    parse: (text) => (text === undefined ? undefined : origin(text)),
  }),
  trustedProxies: setting({
    name: 'MUSTER_TRUSTED_PROXIES',
    meaning:
      'Addresses of proxies in front whose X-Forwarded-For or Forwarded is believed: CIDRs or single addresses, parted by commas. What they call the server is MUSTER_PUBLIC_URL, no header.',
    default: 'none',
    parse: (text) => ranges(text ?? ''),
  }),
  corsOrigins: setting({
    name: 'MUSTER_CORS_ORIGINS',
    meaning:
      'Origins of web pages that may read responses of /graphql/v1, /graphql/v1/stream, and /rest, separated by commas. Such a page signs its requests; a session cookie does not count.',
    default: 'none',
    parse: (text) => origins(text ?? ''),
  }),
  metricsToken: setting({
    name: 'MUSTER_METRICS_TOKEN',
    meaning:
      'Token that a reader of /metrics shows as Authorization: Bearer; at least 16 characters. Not set: only programs on this machine can read /metrics, and no program if MUSTER_PUBLIC_URL or MUSTER_TRUSTED_PROXIES is set.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : token(text)),
  }),
  logRequests: setting({
    name: 'MUSTER_LOG_REQUESTS',
    meaning:
      '1: a line of the log for each request; 0: for those that failed by a fault of the server (INTERNAL) or took over a second.',
    default: '0',
    parse: (text) => flag(text ?? '0'),
  }),
  logLevel: setting({
    name: 'MUSTER_LOG_LEVEL',
    meaning: 'fatal, error, warn, info, debug, trace or silent.',
    default: 'info',
    parse: (text) => oneOf(text ?? 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  }),
}
