// Made here rather than drawn from PostgreSQL's own settings, so that a database given by URL behaves like the embedded one.
// Workers started for one page cost more than they save, and take processors from other requests.
const always = {
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  idle_in_transaction_session_timeout: '30000',
}

/** What a connection is set to, by the names and values that pg_settings has. */
export const sessionSettings = (statementTimeout: number): Readonly<Record<string, string>> => ({
  ...always,
  statement_timeout: String(statementTimeout),
})

export const settingStatements = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ')

/** Poolers set this one anew for each client, and on whichever connection they give it. */
export const utc = "set timezone = 'UTC'"
