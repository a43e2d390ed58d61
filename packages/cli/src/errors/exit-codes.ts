/** Every exit code and its meaning. The help of each command and the docs use this table. */
export const exitCodeTable = {
  ok: [0, 'done'],
  failed: [1, 'failed'],
  usage: [2, 'invalid usage, or no credentials found'],
  partly: [3, 'some items were rejected or not processed'],
  notFound: [4, 'an item was not found in your account'],
  refused: [5, 'invalid credentials, or the access key does not allow the operation'],
  notNow: [6, 'the server is unreachable or unavailable, or the rate limit is exceeded; retry later'],
  conflict: [7, 'conflict with existing data'],
  outcomeUnknown: [8, 'the connection was lost during a change; the outcome is unknown'],
  interrupted: [130, 'interrupted'],
} as const satisfies Readonly<Record<string, readonly [code: number, meaning: string]>>

type ExitName = keyof typeof exitCodeTable

export const exitCodes = Object.fromEntries(Object.entries(exitCodeTable).map(([name, [code]]) => [name, code])) as {
  readonly [Name in ExitName]: (typeof exitCodeTable)[Name][0]
}

export type ExitCode = (typeof exitCodes)[ExitName]
