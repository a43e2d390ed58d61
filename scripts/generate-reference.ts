import { authenticationReasons } from '../packages/server/src/auth/authentication-reasons.ts'
import { settings } from '../packages/server/src/config.ts'
import { errorCodes, requestReasons } from '../packages/server/src/errors.ts'
import { metricTable } from '../packages/server/src/metric-table.ts'
import { restReference } from '../packages/server/src/rest/reference.ts'
import { buildSchema } from '../packages/server/src/schema.ts'
import { limitsPage } from './reference/limits-page.ts'
import { note, table } from './reference/markdown.ts'

export function generateReference(): [path: string, text: string][] {
  return [
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/limits.md', limitsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/reference/rest.md', `${note('packages/server/src/rest')}\n${restReference(buildSchema())}`],
  ]
}

function settingsPage(): string {
  const rows = Object.values(settings).map((setting) => [`\`${setting.name}\``, setting.default, setting.meaning])
  return `${note('packages/server/src/settings')}
# Settings

Settings are environment variables. The server treats an empty variable as not set. If a value is
invalid, the server does not start. The error message names the setting and describes a valid value.
The server warns about unknown variables that start with \`MUSTER_\`.

These environment variables are not settings of Muster:

- Node.js reads \`NODE_EXTRA_CA_CERTS\`. To trust additional CA certificates, for example for webhooks
  over HTTPS, set this variable to the path of a PEM file that contains the certificates.
- The OpenTelemetry library also reads variables that start with \`OTEL_\` and are not in the table.
  See [traces](../guides/monitoring.md#traces).

${table(['Name', 'Default', 'Meaning'], rows)}
`
}

function errorsPage(): string {
  const reasons = Object.entries(authenticationReasons).map(([reason, { status, meaning }]) => [
    `\`${reason}\``,
    String(status),
    meaning,
  ])
  const rows = Object.entries(errorCodes).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning])
  const others = Object.entries(requestReasons).map(([reason, { code, meaning }]) => [
    `\`${reason}\``,
    `\`${code}\``,
    meaning,
  ])
  return `${note('packages/server/src/errors.ts')}
# Errors

Errors have the form \`{"errors": [{"message", "path", "extensions": {"code"}}]}\`. If an argument
is wrong, the message names it and describes a correct value.

- If a request fails before execution, the response has the HTTP status in the table below. A
  GraphQL response with the media type \`application/json\` is an exception: if the document or a
  variable is invalid, its status is 200.
- If fields fail during execution, a GraphQL response has status 200, as GraphQL over HTTP
  prescribes. If the whole operation fails with \`UNAVAILABLE\`, the status is 503.
- A failed mutation changes nothing, with three exceptions:
  - If \`extensions.outcome\` is \`done\`, the change succeeded, but the server could not return its
    result.
  - If \`extensions.outcome\` is \`unknown\`, the connection to the database was lost during the
    mutation. Check whether the change was made.
  - If \`runBulk\` without an [Idempotency-Key](api.md#repeat-a-request) returns \`CONFLICT\`, the new
    job stays \`READY\`, and \`extensions.job\` contains its ID.
- Some HTTP errors have the code \`BAD_USER_INPUT\` with a status other than 400: 405 for an
  unsupported method, 406 for an \`Accept\` header without a supported type, 408 for a request that
  does not arrive in time, 415 for a body that is compressed or not JSON, and 422 for an
  Idempotency-Key that was used with a different request.
- If the request line and the headers together exceed 16 KiB, the code is \`LIMIT_EXCEEDED\`, and the
  status is 431.
- At some of the [limits on connections](limits.md#connections-and-bodies), the server closes the
  connection without a response.
- The header \`x-request-id\` of a response contains a request ID. For \`INTERNAL\`,
  \`extensions.requestId\` also contains this ID, and the server logs the error with it.

${table(['Code', 'HTTP status', 'Meaning'], rows)}

## Reasons

If the server rejects credentials, \`extensions.reason\` contains one of these codes. If the status
is 303, the server instead redirects the browser to the sign-in page, and the query parameter
\`error\` of the page's URL contains the code:

${table(['Reason', 'HTTP status', 'Meaning'], reasons)}

Some other errors also contain a reason code, so that a client can distinguish their causes:

${table(['Reason', 'Code', 'Meaning'], others)}
`
}

function metricsPage(): string {
  const rows = Object.values(metricTable).map((metric) => {
    const name = 'labels' in metric ? `${metric.name}{${metric.labels.join()}}` : metric.name
    return [`\`${name}\``, metric.type, metric.help]
  })
  return `${note('packages/server/src/metric-table.ts')}
# Metrics

\`GET /metrics\` returns metrics in the Prometheus text format. The response combines the metrics of
all processes of a server (\`MUSTER_WORKERS\`). Most values are sums over these processes. Ages, lags,
and values about the database or a backup are the highest value of any process. If several servers
share a database, scrape each of them.

- If \`MUSTER_METRICS_TOKEN\` is set, send the token in the header \`Authorization: Bearer TOKEN\`.
- If \`MUSTER_METRICS_TOKEN\` is not set, only programs on the same machine can read the metrics,
  through \`localhost\` or a loopback address. The server rejects requests with a header that proxies
  add (\`Forwarded\`, \`Via\`, \`X-Forwarded-*\`, \`X-Real-IP\`). If \`MUSTER_PUBLIC_URL\` or
  \`MUSTER_TRUSTED_PROXIES\` is set, it rejects every request for metrics.
- The response omits metrics that the server cannot read, for example while the database is
  unreachable.
- The response includes the Node.js process metrics \`process_…\` and \`nodejs_…\`: memory, CPU time,
  event loop, and garbage collection. If the server has several processes, the label \`process\` of
  these metrics contains the number of the process.

${table(['Name', 'Type', 'Meaning'], rows)}
`
}
