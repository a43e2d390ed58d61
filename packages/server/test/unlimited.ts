/** Settings under which no test meets a rate limit, and no busy machine an overload or a silence; those of limits have their own. */
export const unlimited: Readonly<Record<string, string>> = {
  MUSTER_KEY_POINTS: '1000000000',
  MUSTER_KEY_POINTS_PER_SECOND: '1000000000',
  MUSTER_ADDRESS_POINTS: '1000000000',
  MUSTER_ADDRESS_POINTS_PER_SECOND: '1000000000',
  MUSTER_DEVICE_MESSAGES: '1000000000',
  MUSTER_DEVICE_MESSAGES_PER_SECOND: '1000000000',
  MUSTER_MOST_REQUESTS: '1000000',
  MUSTER_MOST_LAG: '0',
  MUSTER_DATABASE_SILENCE: '20000',
}
