import { authenticationReasons } from '../packages/server/src/auth/rejection-reasons.ts'
import { settings } from '../packages/server/src/config.ts'
import { errorCodes, requestReasons } from '../packages/server/src/errors.ts'
import { metricTable } from '../packages/server/src/metric-table.ts'
import { restReference } from '../packages/server/src/rest/reference.ts'
import { buildSchema } from '../packages/server/src/schema.ts'
import { limitsPage } from './reference/limits-page.ts'
import { note, table } from './reference/markdown.ts'

/** Generates the pages of docs/reference whose tables come from code. Returns paths and contents. */
export function generateReference(): [path: string, text: string][] {
  return [
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/limits.md', limitsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/reference/rest.md', `${note('packages/server/src/rest/routes')}\n${restReference(buildSchema())}`],
  ]
}

function settingsPage(): string {
  const rows = Object.values(settings).map((setting) => [`\`${setting.name}\``, setting.default, setting.meaning])
  return `${note('packages/server/src/settings')}
# Settings

Settings are environment variables. The server treats an empty variable as not set. If a value is
invalid, the server does not start, and the error names the setting and the expected value. The
server warns about unknown variables that start with \`MUSTER_\`.

- \`NODE_EXTRA_CA_CERTS\`, a Node variable, names a file of additional CA certificates to trust for
  webhooks over https.
- The OpenTelemetry library reads other variables that start with \`OTEL_\`; see
  [traces](../guides/operations.md#traces).

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

Errors have the form \`{"errors": [{"message", "path", "extensions": {"code"}}]}\`. The message names
the wrong argument and describes a correct value.

- For an error before execution, the table below shows the HTTP status. For errors during execution,
  the response has the status that GraphQL over HTTP prescribes. If all of these errors are
  \`UNAVAILABLE\`, the status is 503.
- A failed mutation changes nothing, with one exception: if \`extensions.outcome\` is \`done\`, the
  change succeeded, but the server could not build the response.
- If the database connection breaks during a mutation, the outcome is unknown. The change may or may
  not be stored.
- HTTP errors have \`BAD_USER_INPUT\` with a different status: 405 for an unsupported method, 408 for
  a request that does not arrive in time, and 415 for a body that is compressed or not JSON.
- Above some limits on [connections](limits.md#connections-and-bodies), the server closes the
  connection without a response.
- Every response contains a request ID in \`x-request-id\`. For \`INTERNAL\`, \`extensions.requestId\`
  also contains it, and the server logs the error with that ID.

${table(['Code', 'HTTP status', 'Meaning'], rows)}

## Reasons

\`extensions.reason\` is the reason why the server rejected the credentials.

${table(['Reason', 'HTTP status', 'Meaning'], reasons)}

Other errors contain a reason if a client is likely to act on it:

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

\`GET /metrics\` returns metrics in the Prometheus text format, for all processes of a server
(\`MUSTER_WORKERS\`). If several servers share a database, scrape each of them.

- If \`MUSTER_METRICS_TOKEN\` is set, send the token as \`Authorization: Bearer\`.
- If \`MUSTER_METRICS_TOKEN\` is not set, only programs on the same machine can read the metrics,
  through \`localhost\` or a loopback address. The server then rejects every request if
  \`MUSTER_PUBLIC_URL\` or \`MUSTER_TRUSTED_PROXIES\` is set. It also rejects requests with a header
  that proxies add (\`Forwarded\`, \`Via\`, \`X-Forwarded-*\`, \`X-Real-IP\`).
- The response omits metrics that the server cannot read, for example while the database is
  unreachable.
- The response includes the Node.js process metrics \`process_…\` and \`nodejs_…\`: memory, CPU time,
  event loop, and garbage collection.

${table(['Name', 'Type', 'Meaning'], rows)}
`
}
