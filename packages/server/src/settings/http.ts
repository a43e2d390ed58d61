import { optionalSetting, setting } from './setting.ts'
import { flag, hostName, integer, oneOf, origin, origins, ranges, token } from './values.ts'

export const httpSettings = {
  host: setting({
    name: 'HOST',
    meaning:
      'Address to listen on, for HTTP and MQTT. 127.0.0.1: only this machine can connect. 0.0.0.0: any machine that can reach this machine can connect.',
    default: '127.0.0.1',
    parse: (text) => hostName(text ?? '127.0.0.1'),
  }),
  port: setting({
    name: 'PORT',
    meaning: 'TCP port on HOST for HTTP or, with MUSTER_TLS_CERT, for HTTPS. 0: any free port.',
    default: '4000',
    parse: (text) => integer(text ?? '4000', 0, 65_535),
  }),
  tlsCert: optionalSetting({
    name: 'MUSTER_TLS_CERT',
    meaning:
      'PEM file with the TLS certificate and its chain, for PORT. With this setting, the port accepts only HTTPS. Requires MUSTER_TLS_KEY. The server reloads the file when the file changes and, unless the server runs in a terminal, on SIGHUP.',
    parse: (text) => text,
  }),
  tlsKey: optionalSetting({
    name: 'MUSTER_TLS_KEY',
    meaning: 'PEM file with the private key of the certificate in MUSTER_TLS_CERT. Requires MUSTER_TLS_CERT.',
    parse: (text) => text,
  }),
  publicUrl: optionalSetting({
    name: 'MUSTER_PUBLIC_URL',
    meaning:
      "URL at which clients reach the server, such as the proxy's URL. It consists of a scheme, a host, and an optional port. Example: https://muster.example.com. Not set: the server uses the scheme and the host of each request.",
    parse: origin,
  }),
  trustedProxies: setting({
    name: 'MUSTER_TRUSTED_PROXIES',
    meaning:
      "Addresses of trusted proxies: CIDR ranges or single addresses, separated by commas, such as 10.20.0.0/16. The server reads a client's address from the X-Forwarded-For or Forwarded header that these proxies send. The server does not read its public URL from these headers, so also set MUSTER_PUBLIC_URL.",
    default: 'none',
    parse: (text) => ranges(text ?? ''),
  }),
  httpConnectionsPerAddress: setting({
    name: 'MUSTER_HTTP_CONNECTIONS_PER_ADDRESS',
    meaning:
      'Maximum number of HTTP connections per client address (per /64 for IPv6) to each server process. The server closes further connections immediately. The limit does not apply to the proxies in MUSTER_TRUSTED_PROXIES. WebSockets of devices do not count.',
    default: '1000',
    parse: (text) => integer(text ?? '1000', 1, 1_000_000),
  }),
  httpConnections: setting({
    name: 'MUSTER_HTTP_CONNECTIONS',
    meaning:
      'Maximum number of HTTP connections to each server process. The server closes further connections immediately. WebSockets of devices do not count. The open-file limit must be above the sum of this number and MUSTER_MQTT_CONNECTIONS.',
    default: '10000',
    parse: (text) => integer(text ?? '10000', 1, 1_000_000),
  }),
  requestTimeout: setting({
    name: 'MUSTER_REQUEST_TIMEOUT',
    meaning:
      'Seconds within which a request must arrive, including its body. Otherwise, the server responds with 408 and closes the connection. The server also closes a new connection if the client sends nothing for this long.',
    default: '30',
    parse: (text) => integer(text ?? '30', 1, 3_600, 'seconds') * 1_000,
  }),
  keepAliveTimeout: setting({
    name: 'MUSTER_KEEP_ALIVE_TIMEOUT',
    meaning:
      'Seconds that an HTTP connection stays open after a response, for the next request. Set it above the idle timeout of your load balancer, which is often 60 seconds.',
    default: '72',
    parse: (text) => integer(text ?? '72', 1, 3_600, 'seconds') * 1_000,
  }),
  corsOrigins: setting({
    name: 'MUSTER_CORS_ORIGINS',
    meaning:
      'Comma-separated origins of web pages that may read responses from /graphql/v1, /graphql/v1/stream, and /rest. These pages must sign their requests, because the server ignores their session cookies.',
    default: 'none',
    parse: (text) => origins(text ?? ''),
  }),
  metricsToken: optionalSetting({
    name: 'MUSTER_METRICS_TOKEN',
    meaning:
      'Token for reading /metrics, at least 16 printable ASCII characters without spaces. Programs send it in the header Authorization: Bearer TOKEN. Not set: only programs on this machine can read /metrics, or no program if MUSTER_PUBLIC_URL or MUSTER_TRUSTED_PROXIES is set.',
    secret: true,
    parse: token,
  }),
  logRequests: setting({
    name: 'MUSTER_LOG_REQUESTS',
    meaning:
      '1: log requests. 0: log only requests that failed with INTERNAL and, in each server process, up to 10 requests per second that took at least a second (except subscriptions and downloads).',
    default: '0',
    parse: (text) => flag(text ?? '0'),
  }),
  logFormat: setting({
    name: 'MUSTER_LOG',
    meaning:
      'Format of the log. text: readable lines. json: one JSON object per line. Not set: text if standard error is a terminal, otherwise json.',
    default: 'not set',
    parse: (text) => oneOf(text ?? (process.stderr.isTTY ? 'text' : 'json'), ['text', 'json']),
  }),
  logLevel: setting({
    name: 'MUSTER_LOG_LEVEL',
    meaning:
      'Minimum level of the entries that the server logs: fatal (the highest level), error, warn, info, debug, or trace. silent: no entries.',
    default: 'info',
    parse: (text) => oneOf(text ?? 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  }),
}
