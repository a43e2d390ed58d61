import { settings } from '../../packages/server/src/config.ts'
import { MANY_ROWS } from '../../packages/server/src/graphql/cost/scanned-row-estimate.ts'
import { HANDSHAKE_MS } from '../../packages/server/src/http/connections/timeouts.ts'
import { type LimitName, limitMeanings, limits } from '../../packages/server/src/limits.ts'
import {
  OBJECTS_PER_POINT,
  pointsOfObjects,
  REJECTED_BYTES_PER_POINT,
  REQUEST_POINTS,
  ROWS_PER_POINT,
} from '../../packages/server/src/rate-limits/point-prices.ts'
import { note, table } from './markdown.ts'

const grouped = (count: number): string => count.toLocaleString('en-US')

export function limitsPage(): string {
  const rows = (Object.keys(limits) as LimitName[]).map((name) => [
    `\`${name}\``,
    String(limits[name]),
    limitMeanings[name],
  ])
  return `${note('packages/server/src/limits.ts')}
# Limits

If a request exceeds a limit, the server usually returns \`LIMIT_EXCEEDED\`. For the limits on the
depth, aliases, tokens, and objects of a document, it returns \`QUERY_TOO_COMPLEX\`. For the limits on
page sizes, on the number of operations in a bulk job, and on the length of an Idempotency-Key, it
returns \`BAD_USER_INPUT\`. Characters are Unicode code points, and bytes are UTF-8 bytes.

To read the limits from a program, query \`login { limits { name value used } }\`. The list also
contains \`firstRecord\`, the value of the argument \`from\` at which a list starts.

${table(['Name', 'Value', 'Limits'], rows)}

Operations without credentials can request at most 50,000 objects. The server also rejects a
document if its fragments expand to more than 20,000 selections, or if validating the document would
take more than 500,000 comparisons of fields.

${rateLimits}`
}

const rateLimits = `## Rate limits

Every API request has a cost in points, which the server deducts from a quota in this table. Quotas
refill continuously. The numbers are the defaults of the [settings](settings.md) in parentheses.

| Quota of | Size in points | Points refilled per second | Used by |
| --- | --- | --- | --- |
| a user | ${settings.keyPoints.default} (\`${settings.keyPoints.name}\`) | ${settings.keyPointsPerSecond.default} (\`${settings.keyPointsPerSecond.name}\`) | GraphQL, subscriptions, REST, and download links. A user is either an account with all its access keys, or a person with all their console sessions. The console sessions of an account's founder use the account's quota. |
| an access key with a \`rateShare\` | this share of the user's quota, at least 20 points | this share of the user's points per second | requests signed with the key. The server also charges them to the user. |
| a registration code | as for a user | as for a user | registrations with the code |
| an address | ${settings.addressPoints.default} (\`${settings.addressPoints.name}\`) | ${settings.addressPointsPerSecond.default} (\`${settings.addressPointsPerSecond.name}\`) | requests without valid credentials, such as introspection, sign-ins, registrations with a wrong code, and reports with a wrong secret. An IPv6 /64 network is one address. |
| a device, in each server process | ${settings.deviceMessages.default} (\`${settings.deviceMessages.name}\`) | ${settings.deviceMessagesPerSecond.default} (\`${settings.deviceMessagesPerSecond.name}\`) | reports and MQTT publications, one point each |

### What a request costs

| Part of a request | Points |
| --- | --- |
| the request | ${REQUEST_POINTS} |
| objects that the response can contain, given the document and the variables | 1 for each full ${OBJECTS_PER_POINT} |
| rows that a field can read without returning them | 1 for each full ${grouped(ROWS_PER_POINT)} |
| a mutation | 1. The mutations \`setAttributesMany\`, \`deleteDevices\`, and \`transferDevices\` cost 1 for each 10 items or part of 10. |
| a subscription | 1 when it opens, and 1 for each ${OBJECTS_PER_POINT} events that it sends |
| downloading events | ${pointsOfObjects(limits.pageSize)} for each page of ${grouped(limits.pageSize)} events |
| downloading a list of devices, the report of a bulk job, or the secrets of a bulk job | about 1 for each ${OBJECTS_PER_POINT} devices. A list of devices also costs points for the rows that the server reads. |
| a request with a rejected document or rejected variables | 1, plus 1 for each full ${grouped(REJECTED_BYTES_PER_POINT)} bytes of its URL and body |

Before an operation runs, the server charges for everything that the operation can return or read.
Afterward, it refunds the points that were not needed. If a field fails, the server does not refund
the points for objects. If an operation can cost more than the whole quota, the server first charges
the whole quota, and charges the rest afterward.

**Rows.** These fields can read more rows than they return. The server charges for all rows that a
field can read:

- \`devices\` can read every device if it is sorted by an attribute without an index, by an attribute
  in a context, or by several keys. Device fields and \`$svc.categoryA\` to \`$svc.statusE\` have an
  index.
- \`services\` can read every device, unless \`device.name\` is the first sort key.
- \`devices\` and \`services\` can read every device if the request contains filters and none of them
  has an index. For example, \`attributes: { site: null }\` has no index. A \`name\` with fewer than
  three consecutive letters or digits also has no index.
- \`devices\` with \`from\` above 5,000 reads the devices before that position or, without a filter, the
  devices between that position and the nearer end of the list. With \`after\`, the server does not
  read these devices.
- \`total\` of \`services\`, and \`total\` of \`devices\` with a filter, can read every device. Without a
  filter, \`total\` of \`devices\` reads no devices.
- \`devices\` and \`services\` with \`view\`, and their \`total\`, can read every device. The server then
  refunds the points for devices that it does not have to read for the view's filter and order.
- \`devices\` with \`id\` or \`hardwareId\`, and without \`view\`, reads at most the devices with these IDs.
- \`facets\`, \`deviceTotals\`, \`stale\` of \`freshness\`, and \`devices\` of \`simulate\` can read every
  device.
- \`previewBulk\`, \`retryBulk\`, and \`undoBulk\` can read every device. The same applies to \`createBulk\`
  and \`runBulk\` if the target is a filter.
- \`items\` of a bulk job with \`outcome\` or \`status\`, and \`total\` of \`items\`, can read every device.
- \`events\` of a user without \`deviceId\`, but with \`where\`, \`view\`, \`types\`, \`minDate\`, \`maxDate\`, or
  \`from\` above 5,000, can read every event of the account, up to 100,000 events. The same applies to
  \`total\` of a user's \`events\`, and to \`eventCounts\`.
- \`total\` of a device's \`events\` and of a webhook's \`deliveries\` can read every event of the
  account.
- \`attributeHistory\`, its \`total\`, and \`changed\` and \`confirmed\` of \`attributeInfo\` can read every
  event of the account, up to 100,000 events. Except for \`total\`, the server then refunds the points
  for all but 500 events of each object. A user's \`attributeHistory\` without \`name\`, \`context\`,
  \`minDate\`, and \`maxDate\` reads only the events that it returns, except for its \`total\`.
- \`attributeNames\`, and \`devicesUrl\` without \`columns\`, can read every device. If the request does
  not make the server [count the names again](attributes.md#names-in-use), the server refunds these
  points.

Other fields, such as \`availability\`, \`presence\`, and \`checkFilter\`, read fewer rows than the
fields in this list.

To compute the cost, the server uses the numbers of devices and events in the account, which it
counted at most a minute ago. It adds up the rows of all fields in a document. If the sum is less
than ${grouped(ROWS_PER_POINT)}, the rows cost nothing.

A document can contain at most ${limits.walkingFields} fields that can each read ${grouped(MANY_ROWS)} or
more rows. A page and its \`total\` count as two fields. If a document exceeds this limit, the server
returns \`LIMIT_EXCEEDED\` and charges a point for each of these fields. The message names the first
field over the limit and its position in the document.

For example, in an account with 100,000 devices, this document costs 101 points:

\`\`\`graphql
{
  login {
    devices(sort: "rack", state: "active", size: 50) {
      total
      items { name }
    }
  }
}
\`\`\`

- 1 point for the request. The 50 objects of the page add no points.
- 50 points for the rows of the page: \`rack\` has no index, so the server can read every device.
- 50 points for the rows of \`total\`: the server counts every active device.

With \`sort: "name"\` and without \`total\`, the document costs 1 point.

### When the quota is used up

When a quota is used up, the server rejects requests with \`RATE_LIMITED\`, status 429, and
\`Retry-After\` in whole seconds. A rejected request has no effect. MQTT publications are an
exception: if a device has used up its quota, the server delays the device's publications and logs
the delay.

API responses contain two headers, which follow draft-ietf-httpapi-ratelimit-headers-11. In both
headers, the name in quotes identifies the quota: \`user\`, \`key\`, \`code\`, \`address\`, or \`device\`.

- In \`RateLimit-Policy: "user";q=20000;w=40\`, \`q\` is the size of the quota, and \`w\` is the number of
  seconds until an empty quota is full again.
- In \`RateLimit: "user";r=19998;t=1\`, \`r\` is the number of remaining points. \`t\` is the number of
  seconds to wait if no points remain, at least 1.

An account has one quota for all its access keys, so another key does not increase the quota.

Servers that share a database exchange their quota usage twice per second. Between exchanges, a
server does not know what a user spends on the other servers. A user who calls several servers at
the same time can therefore exceed the quota. Afterward, the servers reject the user's requests
until the quota contains enough points again, so the long-term rate stays the same.

While the database is unreachable, each process counts usage separately. For the quota of a device,
each process always counts only the reports and publications that it receives. A restarted process
starts with full quotas.

### Bytes stored per day

The following quotas limit the bytes that a device or an account can store per day. The numbers are
the defaults of the [settings](settings.md) in parentheses:

| Quota of | Bytes per day | Used by |
| --- | --- | --- |
| a device, in each server process | ${settings.deviceBytesPerDay.default} (\`${settings.deviceBytesPerDay.name}\`) | data that the device itself writes: MQTT publications and reports |
| an account | ${settings.accountBytesPerDay.default} (\`${settings.accountBytesPerDay.name}\`) | data that its devices write, registrations with its codes, and all mutations |

The cost of a write is the size of the stored data in UTF-8 bytes, plus 200 bytes for its event:

- If a device changes the value of an attribute, the cost is the size of the name and the value. If
  the value stays the same, the cost is 0.
- If a device sends a list of services, the cost each time is the size of the list, plus 200 bytes
  for the list and 200 bytes for each service.
- For a mutation, the cost is the size of its argument names and values. A variable counts once for
  each place that uses it. For \`setAttributesMany\`, \`deleteDevices\`, and \`transferDevices\`, the
  cost includes one event for each item or device instead of a single event.
- For \`transferDevices\`, the receiving account also pays for one event for each device, and for the
  size of the devices' fields and of all attributes of the devices and their services.
- The server charges for a mutation when it accepts the request, even if the mutation fails or
  changes nothing. It does not charge read-only keys.
- For a registration, the cost is the size of the request body and of the code's services and
  attributes, plus 200 bytes each for the event, the body, the attributes, and each of the code's
  services.

The quota refills continuously. An empty quota is full again after a day. If a write exceeds the
remaining quota, the server returns \`RATE_LIMITED\` and stores nothing. The message contains the
daily quota, the cost of the write, and the remaining quota. A write that is larger than the daily
quota requires a full quota and uses all of it.

MQTT 3.1.1 defines no error response to a publication. If a publication exceeds the remaining quota,
the server therefore closes the connection without acknowledging the publication, and logs the
reason.

\`login { limits { name value used } }\` contains the quotas in MiB, as \`deviceMebibytesPerDay\` and
\`accountMebibytesPerDay\`, and the used part of the account's quota. The metric
\`muster_rate_limited_total\` counts rejections as \`device-bytes\` and \`account-bytes\`.

Servers keep quotas in memory, so a restarted server starts with full quotas. Servers that share a
database exchange the usage of accounts. For the quota of a device, each process counts only the
data that it receives.

### Failed attempts

After 20 failed attempts to authenticate from an address in a minute, the server rejects signed
requests from that address for the rest of the minute. It returns \`RATE_LIMITED\` (429) with
\`Retry-After\` and does not verify the signatures. The same applies while the address has used up its
[rate-limit quota](#rate-limits).

- Several clients can share an address through NAT or a proxy. The server therefore still verifies
  the signatures of access keys that signed a valid request from that address within the last hour.
  Such a key has a separate limit of 20 failed attempts per minute from that address. Requests
  signed with other keys have to wait, even if their signatures are valid.
- Failed attempts with a key never block the key's owner at another address. After 20 failed
  attempts with a key in a minute, from all addresses together, the server rejects further failed
  attempts with \`RATE_LIMITED\` instead of \`UNAUTHENTICATED\`.
- Wrong device secrets and registration codes also count as failed attempts from the address. After
  20 failed attempts in a minute from an address or with a device ID, the server rejects further
  wrong secrets and codes with \`RATE_LIMITED\`. Over MQTT, it sends the usual return code 4, but two
  seconds later.
- Each server process counts failed attempts separately, and starts from zero when it restarts.

## Overload

A server process is overloaded if one of these conditions is true:

- It has at least ${settings.mostRequests.default} requests in flight (the default of \`${settings.mostRequests.name}\`).
  This condition limits bursts.
- It has had at least \`${settings.mostStanding.name}\` requests (by default, a fifth of
  \`${settings.mostRequests.name}\`) in flight for two seconds without interruption. From
  then on, the process is overloaded whenever it has at least this many requests in flight, until it
  has fewer than half as many. This condition keeps response times short during sustained load.
- Most iterations of its event loop take longer than ${settings.mostLag.default} ms
  (the default of \`${settings.mostLag.name}\`).

An overloaded process rejects requests with \`UNAVAILABLE\`, status 503, and \`Retry-After\`, before
it runs them. It rejects only the requests of callers that have more than their fair share of the
requests in flight. With twice \`${settings.mostRequests.name}\` requests in flight, it rejects the
requests of all callers. It never rejects requests to \`/healthz\`, \`/readyz\`, or \`/metrics\`.

## Connections and bodies

Each server process enforces these limits. The values with a [setting](settings.md) in parentheses
are defaults. An IPv6 /64 network counts as one address.

| Limit | Value | If exceeded |
| --- | --- | --- |
| HTTP connections per address | ${settings.httpConnectionsPerAddress.default} (\`${settings.httpConnectionsPerAddress.name}\`) | The server closes a new connection immediately, before the TLS handshake. Trusted proxies are exempt. |
| HTTP connections in total | ${settings.httpConnections.default} (\`${settings.httpConnections.name}\`) | The server closes a new connection immediately, even from a trusted proxy. |
| bytes of large request bodies that are being received or processed, per address | ${settings.bodyBytesPerAddress.default} (\`${settings.bodyBytesPerAddress.name}\`) | The server responds with \`RATE_LIMITED\`, status 429, to further requests with large bodies from the address. |
| bytes of large request bodies that are being received or processed, in total | ${settings.bodyBytes.default} (\`${settings.bodyBytes.name}\`) | The server responds with \`UNAVAILABLE\`, status 503, to requests with large bodies from addresses above their fair share. At twice this value, it rejects requests with large bodies from all addresses. |
| bytes of unread responses per user | ${settings.queuedBytesPerUser.default} (\`${settings.queuedBytesPerUser.name}\`) | At the limit, the server rejects further requests with \`RATE_LIMITED\`, status 429. A request whose response would exceed the limit waits. If none of the user's waiting requests can start within 15 seconds, the server rejects them in the same way. |
| bytes of unread responses in total | ${settings.queuedBytes.default} (\`${settings.queuedBytes.name}\`) | As at the limit per user, the server rejects or delays requests, but only from users above their fair share. |
| time for a TLS handshake | ${HANDSHAKE_MS / 1_000} s | The server closes the connection. |
| time for a request to arrive | ${settings.requestTimeout.default} s (\`${settings.requestTimeout.name}\`) | The server responds with status 408 and closes the connection. |
| time without a request on a new connection | ${settings.requestTimeout.default} s (\`${settings.requestTimeout.name}\`) | The server responds with status 408 and closes the connection. |
| time between two requests on a connection | ${settings.keepAliveTimeout.default} s (\`${settings.keepAliveTimeout.name}\`) | The server closes the connection. |
| time without reading from a response | ${settings.readTimeout.default} s (\`${settings.readTimeout.name}\`) | The server closes the connection. |

- A request body is large if it has more than 16 KiB. It counts toward the limits from the arrival
  of the headers to the end of the response. Its size is the \`Content-Length\`, or 1 MiB if the
  length is unknown.
- Send bodies without compression. If a request has a \`Content-Encoding\` other than \`identity\`,
  the server responds with status 415.
- Connections count toward the limit of the address that they come from. Bodies count toward the
  limit of the [client address](#client-addresses).
- WebSockets of devices are MQTT connections, which have separate limits:
  \`${settings.mqttConnections.name}\` and \`${settings.mqttSigningOn.name}\`.

## Client addresses

The client address of a request is the address of its connection. If the connection comes from one
of \`${settings.trustedProxies.name}\`, the client address is the last address in \`X-Forwarded-For\` or
\`Forwarded\` that is not a trusted proxy, or the first address if all are trusted proxies. On other
connections, the server ignores these headers. If both headers are present and disagree, the client
address is the proxy's address. Events, logs, and sessions show the client address.
`
