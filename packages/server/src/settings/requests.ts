import { setting } from './setting.ts'
import { flag, integer } from './values.ts'

/** What a request must contain, and limits on requests. */
export const requestSettings = {
  keyPoints: setting({
    name: 'MUSTER_KEY_POINTS',
    meaning:
      'Points that a user, with all access keys and console sessions together, can spend at once; see limits.md. A registration code has a separate quota of the same size.',
    default: '20000',
    parse: (text) => integer(text ?? '20000', 100, 1_000_000_000),
  }),
  keyPointsPerSecond: setting({
    name: 'MUSTER_KEY_POINTS_PER_SECOND',
    meaning: 'Points that the quota of a user, or of a registration code, regains each second.',
    default: '500',
    parse: (text) => integer(text ?? '500', 1, 1_000_000_000),
  }),
  addressPoints: setting({
    name: 'MUSTER_ADDRESS_POINTS',
    meaning:
      'Points that an address can spend at once on requests without valid credentials. An IPv6 /64 counts as one address.',
    default: '2000',
    parse: (text) => integer(text ?? '2000', 100, 1_000_000_000),
  }),
  addressPointsPerSecond: setting({
    name: 'MUSTER_ADDRESS_POINTS_PER_SECOND',
    meaning: 'Points that the quota of an address regains each second.',
    default: '50',
    parse: (text) => integer(text ?? '50', 1, 1_000_000_000),
  }),
  deviceBytesPerDay: setting({
    name: 'MUSTER_DEVICE_BYTES_PER_DAY',
    meaning: 'Bytes that a device can store in a day; see limits.md.',
    default: '67108864',
    parse: (text) => integer(text ?? '67108864', 65_536, 1_000_000_000_000_000),
  }),
  accountBytesPerDay: setting({
    name: 'MUSTER_ACCOUNT_BYTES_PER_DAY',
    meaning: 'Bytes that an account can store in a day, by mutations and devices together; see limits.md.',
    default: '34359738368',
    parse: (text) => integer(text ?? '34359738368', 65_536, 1_000_000_000_000_000),
  }),
  mostRequests: setting({
    name: 'MUSTER_MOST_REQUESTS',
    meaning:
      'Requests that each server process has in flight, without streams. Above that, it rejects the callers with the most requests in flight first, with 503.',
    default: '500',
    parse: (text) => integer(text ?? '500', 1, 1_000_000),
  }),
  mostStanding: setting({
    name: 'MUSTER_MOST_STANDING',
    meaning:
      'Requests that each server process has in flight during sustained load: once this many have been in flight for two seconds, until fewer than half of them remain. The value of MUSTER_MOST_REQUESTS switches this limit off.',
    default: 'a fifth of MUSTER_MOST_REQUESTS',
    parse: (text) => (text === undefined ? undefined : integer(text, 1, 1_000_000)),
  }),
  mostLag: setting({
    name: 'MUSTER_MOST_LAG',
    meaning:
      'Milliseconds that an iteration of the event loop may take. While most take longer, the server rejects requests with 503. 0 switches this limit off.',
    default: '2000',
    parse: (text) => integer(text ?? '2000', 0, 60_000),
  }),
  bodyBytesPerAddress: setting({
    name: 'MUSTER_BODY_BYTES_PER_ADDRESS',
    meaning:
      'Bytes of request bodies above 16 KiB that each server process receives and processes at a time for an address (of IPv6 a /64). Above that, requests get RATE_LIMITED.',
    default: '33554432',
    parse: (text) => integer(text ?? '33554432', 1_048_576, 1_000_000_000_000),
  }),
  bodyBytes: setting({
    name: 'MUSTER_BODY_BYTES',
    meaning:
      'The same for all addresses together. When it is reached, each address keeps its fair share, which is the limit divided by the addresses with such bodies; further requests get 503. All bodies together never exceed twice the limit.',
    default: '268435456',
    parse: (text) => integer(text ?? '268435456', 1_048_576, 1_000_000_000_000),
  }),
  queuedBytesPerUser: setting({
    name: 'MUSTER_QUEUED_BYTES_PER_USER',
    meaning:
      'Bytes of responses that each server process produces and queues at a time for a user, or for an address without valid credentials. Above that, the caller gets RATE_LIMITED until it has read them.',
    default: '67108864',
    parse: (text) => integer(text ?? '67108864', 1_048_576, 1_000_000_000_000),
  }),
  queuedBytes: setting({
    name: 'MUSTER_QUEUED_BYTES',
    meaning:
      'The same for all callers together. When it is reached, each caller keeps its fair share: the limit divided by the callers with responses.',
    default: '268435456',
    parse: (text) => integer(text ?? '268435456', 1_048_576, 1_000_000_000_000),
  }),
  readTimeout: setting({
    name: 'MUSTER_READ_TIMEOUT',
    meaning: 'Seconds after which the server closes an HTTP connection whose client reads nothing of a response.',
    default: '30',
    parse: (text) => integer(text ?? '30', 1, 3_600) * 1_000,
  }),
  databaseSilence: setting({
    name: 'MUSTER_DATABASE_SILENCE',
    meaning:
      'Milliseconds without a response after which the database counts as unresponsive. Until it responds again, requests get 503. Use 700 to 2000 for a distant database.',
    default: '500',
    parse: (text) => integer(text ?? '500', 100, 60_000),
  }),
  statementsPerUser: setting({
    name: 'MUSTER_USER_STATEMENTS',
    meaning:
      'Statements of one user that run on the database at a time, at most, per server process. A transaction counts as one. At least one connection is left for other users. Further statements of the user wait.',
    default: '10',
    parse: (text) => integer(text ?? '10', 1, 500),
  }),
  queryMs: setting({
    name: 'MUSTER_QUERY_SECONDS',
    meaning:
      'Seconds that each database statement of a GraphQL query can take. A field that needs longer gets LIMIT_EXCEEDED; if no index serves it, the message names the argument. Mutations have no such limit. 0: no limit but MUSTER_STATEMENT_TIMEOUT.',
    default: '5',
    parse: (text) => integer(text ?? '5', 0, 3_600) * 1_000,
  }),
  streamsPerKey: setting({
    name: 'MUSTER_STREAMS_PER_KEY',
    meaning: 'Subscriptions that an access key can have open at a time, per server process.',
    default: '20',
    parse: (text) => integer(text ?? '20', 1, 10_000),
  }),
  requireDigest: setting({
    name: 'MUSTER_REQUIRE_DIGEST',
    meaning: '1: every signed request with a body must include a digest of the body in its signature.',
    default: '0',
    parse: (text) => flag(text ?? '0'),
  }),
  firstRecord: setting({
    name: 'MUSTER_FIRST_RECORD',
    meaning: 'The number that `from` counts from: 1, or 0 for clients that expect it.',
    default: '1',
    parse: (text) => integer(text ?? '1', 0, 1) as 0 | 1,
  }),
}
