/** The exit codes and their meanings. The help of commands and the docs use this table. */
export const exitCodeTable = {
  ok: [0, 'done'],
  failed: [1, 'failed'],
  usage: [2, 'invalid usage or configuration, or missing credentials'],
  partly: [3, 'some items were rejected or not processed'],
  notFound: [4, 'an item was not found in your account'],
  refused: [5, 'authentication failed, or the operation is not allowed'],
  notNow: [6, 'a temporary problem, such as an unreachable server or an exceeded rate limit; retry later'],
  conflict: [7, 'conflict with existing data'],
  outcomeUnknown: [8, 'the outcome of a change is unknown'],
  interrupted: [130, 'interrupted'],
} as const satisfies Readonly<Record<string, readonly [code: number, meaning: string]>>

type ExitName = keyof typeof exitCodeTable

export const exitCodes = Object.fromEntries(Object.entries(exitCodeTable).map(([name, [code]]) => [name, code])) as {
  readonly [Name in ExitName]: (typeof exitCodeTable)[Name][0]
}

export type ExitCode = (typeof exitCodes)[ExitName]
