import { setting } from './setting.ts'
import { flag, integer } from './values.ts'

export const requestSettings = {
  keyPoints: setting({
    name: 'MUSTER_KEY_POINTS',
    meaning:
      "Quota of an account, a person, or a registration code, in rate-limit points. All access keys of an account share one quota, and all console sessions of a person share another. The sessions of an account's founder use the account's quota. Each registration code has a separate quota. See [rate limits](limits.md#rate-limits).",
    default: '20000',
    parse: (text) => integer(text ?? '20000', 100, 1_000_000_000, 'points'),
  }),
  keyPointsPerSecond: setting({
    name: 'MUSTER_KEY_POINTS_PER_SECOND',
    meaning: 'Rate-limit points that the quota of an account, a person, or a registration code regains each second.',
    default: '500',
    parse: (text) => integer(text ?? '500', 1, 1_000_000_000, 'points'),
  }),
  addressPoints: setting({
    name: 'MUSTER_ADDRESS_POINTS',
    meaning:
      'Quota of a client address, in rate-limit points, for requests without valid credentials. An IPv6 /64 counts as one address.',
    default: '2000',
    parse: (text) => integer(text ?? '2000', 100, 1_000_000_000, 'points'),
  }),
  addressPointsPerSecond: setting({
    name: 'MUSTER_ADDRESS_POINTS_PER_SECOND',
    meaning: 'Rate-limit points that the quota of a client address regains each second.',
    default: '50',
    parse: (text) => integer(text ?? '50', 1, 1_000_000_000, 'points'),
  }),
  deviceBytesPerDay: setting({
    name: 'MUSTER_DEVICE_BYTES_PER_DAY',
    meaning:
      'Storage quota of a device in each server process: the bytes that it can store per day with MQTT publications and HTTP reports. See [rate limits](limits.md#rate-limits).',
    default: '67108864',
    parse: (text) => integer(text ?? '67108864', 65_536, 1_000_000_000_000_000, 'bytes'),
  }),
  accountBytesPerDay: setting({
    name: 'MUSTER_ACCOUNT_BYTES_PER_DAY',
    meaning:
      'Storage quota of an account: the bytes that it can store per day, including those stored by mutations, by its devices, and by registrations with its codes. See [rate limits](limits.md#rate-limits).',
    default: '34359738368',
    parse: (text) => integer(text ?? '34359738368', 65_536, 1_000_000_000_000_000, 'bytes'),
  }),
  mostRequests: setting({
    name: 'MUSTER_MOST_REQUESTS',
    meaning:
      'Limit on requests in flight in each server process, excluding streams. At this limit, requests from callers above their fair share fail with 503. The fair share is the limit divided by the number of active callers. At twice this limit, all requests fail except those to /healthz, /readyz, and /metrics.',
    default: '500',
    parse: (text) => integer(text ?? '500', 1, 1_000_000),
  }),
  mostStanding: setting({
    name: 'MUSTER_MOST_STANDING',
    meaning:
      'Limit on requests in flight in each server process during sustained load. At this limit, the process rejects requests from callers above their fair share, as for MUSTER_MOST_REQUESTS. Sustained load begins when at least this many requests have been in flight for two seconds, and ends when fewer than half as many are in flight. To turn this limit off, set it to the value of MUSTER_MOST_REQUESTS.',
    default: 'a fifth of MUSTER_MOST_REQUESTS',
    parse: (text) => (text === undefined ? undefined : integer(text, 1, 1_000_000)),
  }),
  mostLag: setting({
    name: 'MUSTER_MOST_LAG',
    meaning:
      'Limit on the duration of an iteration of the event loop, in milliseconds. While most iterations take longer, requests fail with 503 if their caller exceeds its fair share of the requests in flight. 0: no limit.',
    default: '2000',
    parse: (text) => integer(text ?? '2000', 0, 60_000, 'milliseconds'),
  }),
  bodyBytesPerAddress: setting({
    name: 'MUSTER_BODY_BYTES_PER_ADDRESS',
    meaning:
      'Limit, in bytes, on the request bodies above 16 KiB that each server process receives and processes at a time for an address (for IPv6, a /64). A request whose body would take its address above this limit fails with RATE_LIMITED.',
    default: '33554432',
    parse: (text) => integer(text ?? '33554432', 1_048_576, 1_000_000_000_000, 'bytes'),
  }),
  bodyBytes: setting({
    name: 'MUSTER_BODY_BYTES',
    meaning:
      'Limit, in bytes, on the request bodies above 16 KiB that each server process receives and processes at a time for all addresses together. At this limit, each address keeps its fair share: the limit divided by the number of addresses with such bodies. A request whose body would take its address above that share fails with 503. All such bodies together never exceed twice the limit.',
    default: '268435456',
    parse: (text) => integer(text ?? '268435456', 1_048_576, 1_000_000_000_000, 'bytes'),
  }),
  queuedBytesPerUser: setting({
    name: 'MUSTER_QUEUED_BYTES_PER_USER',
    meaning:
      'Limit, in bytes, on the unread responses of at least 16 KiB that each server process queues at a time for an account or, without valid credentials, for an address. At this limit, further requests wait or fail with RATE_LIMITED until the caller has read enough of these responses.',
    // With this default, small responses still fit while a response of the maximum size is unread.
    default: '41943040',
    parse: (text) => integer(text ?? '41943040', 1_048_576, 1_000_000_000_000, 'bytes'),
  }),
  queuedBytes: setting({
    name: 'MUSTER_QUEUED_BYTES',
    meaning:
      'Limit, in bytes, on the unread responses of at least 16 KiB that each server process queues at a time for all callers together. At this limit, each caller keeps its fair share: the limit divided by the number of callers with queued responses. Requests of callers above that share wait or fail, as for MUSTER_QUEUED_BYTES_PER_USER.',
    default: '268435456',
    parse: (text) => integer(text ?? '268435456', 1_048_576, 1_000_000_000_000, 'bytes'),
  }),
  readTimeout: setting({
    name: 'MUSTER_READ_TIMEOUT',
    meaning:
      'Seconds after which the server closes an HTTP connection whose client reads nothing of a pending response.',
    default: '30',
    parse: (text) => integer(text ?? '30', 1, 3_600, 'seconds') * 1_000,
  }),
  databaseSilence: setting({
    name: 'MUSTER_DATABASE_SILENCE',
    meaning:
      'Milliseconds without a response to a test query after which the server considers the database unresponsive. Until the database responds again, requests that need it fail with UNAVAILABLE. Use 700 to 2000 for a distant database.',
    default: '500',
    parse: (text) => integer(text ?? '500', 100, 60_000, 'milliseconds'),
  }),
  statementsPerUser: setting({
    name: 'MUSTER_USER_STATEMENTS',
    meaning:
      "Maximum number of one account's statements that run on the database at a time, per server process. A transaction counts as one statement. Further statements of the account wait. If MUSTER_DATABASE_CONNECTIONS is at least 3, one connection stays free for other accounts.",
    default: '10',
    parse: (text) => integer(text ?? '10', 1, 500),
  }),
  queryMs: setting({
    name: 'MUSTER_QUERY_SECONDS',
    meaning:
      'Seconds that a database statement of a GraphQL query can take, unless MUSTER_FILTER_SECONDS applies to it. A field whose statement takes longer fails with LIMIT_EXCEEDED. This limit does not apply to mutations. 0: only MUSTER_STATEMENT_TIMEOUT applies.',
    default: '5',
    parse: (text) => integer(text ?? '5', 0, 3_600, 'seconds') * 1_000,
  }),
  walkMs: setting({
    name: 'MUSTER_FILTER_SECONDS',
    meaning:
      'Seconds that a database statement of a GraphQL operation can take if it may read every device or event of the account. Examples are statements for totals, for facets, and for lists whose filter or order no index supports. Unlike MUSTER_QUERY_SECONDS, this limit also applies to mutations, such as one that previews a bulk job. 0: only MUSTER_STATEMENT_TIMEOUT applies.',
    default: 'MUSTER_QUERY_SECONDS',
    parse: (text) => (text === undefined ? undefined : integer(text, 0, 3_600, 'seconds') * 1_000),
  }),
  streamsPerKey: setting({
    name: 'MUSTER_STREAMS_PER_KEY',
    meaning:
      'Maximum number of open subscriptions of an access key, or of a console session in an account, in each server process.',
    default: '20',
    parse: (text) => integer(text ?? '20', 1, 10_000),
  }),
  requireDigest: setting({
    name: 'MUSTER_REQUIRE_DIGEST',
    meaning:
      '1: every signed request with a body must include a digest of the body in its signature. 0: this rule applies only if the access key or the key policy requires a digest.',
    default: '0',
    parse: (text) => flag(text ?? '0'),
  }),
  firstRecord: setting({
    name: 'MUSTER_FIRST_RECORD',
    meaning: 'Position of the first record of a list, for the argument `from`: 1, or 0 for clients that count from 0.',
    default: '1',
    parse: (text) => integer(text ?? '1', 0, 1) as 0 | 1,
  }),
}
