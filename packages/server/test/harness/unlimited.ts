/**
 * These settings raise rate limits, quotas, and limits on connections and requests so far that tests do not reach them.
 * They also raise time limits, for busy machines. Tests of limits override these settings.
 */
export const unlimited: Readonly<Record<string, string>> = {
  MUSTER_KEY_POINTS: '1000000000',
  MUSTER_KEY_POINTS_PER_SECOND: '1000000000',
  MUSTER_ADDRESS_POINTS: '1000000000',
  MUSTER_ADDRESS_POINTS_PER_SECOND: '1000000000',
  MUSTER_DEVICE_MESSAGES: '1000000000',
  MUSTER_DEVICE_MESSAGES_PER_SECOND: '1000000000',
  MUSTER_DEVICE_BYTES_PER_DAY: '1000000000000',
  MUSTER_ACCOUNT_BYTES_PER_DAY: '1000000000000',
  MUSTER_HTTP_CONNECTIONS_PER_ADDRESS: '1000000',
  MUSTER_HTTP_CONNECTIONS: '1000000',
  MUSTER_MOST_REQUESTS: '1000000',
  MUSTER_MOST_LAG: '0',
  MUSTER_DATABASE_SILENCE: '20000',
  MUSTER_QUERY_SECONDS: '60',
}
