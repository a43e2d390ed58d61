import { setting } from './setting.ts'
import { flag, hostName, integer, oneOf, origin, origins, ranges, token } from './values.ts'

/** HTTP connections, logging, and metrics. */
export const httpSettings = {
  host: setting({
    name: 'HOST',
    meaning:
      'Address to listen on, for HTTP and MQTT. 127.0.0.1: reachable from this machine only. 0.0.0.0: reachable from all of its networks.',
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
      'PEM file with the certificate and its chain. PORT then accepts HTTPS only. The server reloads the file when it changes, and on SIGHUP.',
    default: 'not set',
    parse: (text) => text,
  }),
  tlsKey: setting({
    name: 'MUSTER_TLS_KEY',
    meaning: 'PEM file with the private key of MUSTER_TLS_CERT.',
    default: 'not set',
    parse: (text) => text,
  }),
  publicUrl: setting({
    name: 'MUSTER_PUBLIC_URL',
    meaning:
      'URL by which clients reach the server, such as that of a proxy or the name in the certificate: scheme, host, and port, no path.',
    default: 'not set',
    parse: (text) => (text === undefined ? undefined : origin(text)),
  }),
  trustedProxies: setting({
    name: 'MUSTER_TRUSTED_PROXIES',
    meaning:
      'Addresses of the proxies whose X-Forwarded-For or Forwarded header the server trusts: CIDRs or single addresses, separated by commas. The server takes its public name from MUSTER_PUBLIC_URL, not from a header.',
    default: 'none',
    parse: (text) => ranges(text ?? ''),
  }),
  httpConnectionsPerAddress: setting({
    name: 'MUSTER_HTTP_CONNECTIONS_PER_ADDRESS',
    meaning:
      'HTTP connections that each server process keeps open for an address (of IPv6 a /64). It closes further ones at once. MUSTER_TRUSTED_PROXIES are exempt; WebSockets of devices do not count.',
    default: '1000',
    parse: (text) => integer(text ?? '1000', 1, 1_000_000),
  }),
  httpConnections: setting({
    name: 'MUSTER_HTTP_CONNECTIONS',
    meaning:
      'HTTP connections that each server process keeps open for all addresses together. WebSockets of devices do not count; the limit of open files must be above both.',
    default: '10000',
    parse: (text) => integer(text ?? '10000', 1, 1_000_000),
  }),
  requestTimeout: setting({
    name: 'MUSTER_REQUEST_TIMEOUT',
    meaning:
      'Seconds within which a request must arrive, its body included. The server then responds with 408 and closes the connection. It also closes a new connection that sends nothing for this long.',
    default: '30',
    parse: (text) => integer(text ?? '30', 1, 3_600) * 1_000,
  }),
  keepAliveTimeout: setting({
    name: 'MUSTER_KEEP_ALIVE_TIMEOUT',
    meaning:
      'Seconds for which an HTTP connection stays open after a response, for the next request. Behind a load balancer, it must be longer than the idle timeout of the load balancer, which is often 60.',
    default: '72',
    parse: (text) => integer(text ?? '72', 1, 3_600) * 1_000,
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
      'Token for /metrics, sent as Authorization: Bearer; at least 16 characters. Not set: only programs on this machine can read /metrics, and no program if MUSTER_PUBLIC_URL or MUSTER_TRUSTED_PROXIES is set.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : token(text)),
  }),
  logRequests: setting({
    name: 'MUSTER_LOG_REQUESTS',
    meaning: '1: log a line for every request. 0: only for requests that failed with INTERNAL or took over a second.',
    default: '0',
    parse: (text) => flag(text ?? '0'),
  }),
  logFormat: setting({
    name: 'MUSTER_LOG',
    meaning:
      'text: a log for people. json: one JSON object per line. Not set: text if standard error is a terminal, otherwise json.',
    default: 'not set',
    parse: (text) => oneOf(text ?? (process.stderr.isTTY ? 'text' : 'json'), ['text', 'json']),
  }),
  logLevel: setting({
    name: 'MUSTER_LOG_LEVEL',
    meaning: 'fatal, error, warn, info, debug, trace, or silent.',
    default: 'info',
    parse: (text) => oneOf(text ?? 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  }),
}
