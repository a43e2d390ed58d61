// Each direct connection uses these settings, regardless of PostgreSQL's configuration, so that an external database
// behaves like the embedded one. Through a pooler, they apply only if an operator has made them PostgreSQL's defaults
// (`checkPooler`). Parallel workers are off because, for a single page, they cost more than they save and take CPUs
// from other requests.
const always = {
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  idle_in_transaction_session_timeout: '30000',
}

/** Returns the settings of a session, with names and values as pg_settings shows them. */
export const sessionSettings = (statementTimeout: number): Readonly<Record<string, string>> => ({
  ...always,
  statement_timeout: String(statementTimeout),
})

export const settingStatements = (
  settings: Readonly<Record<string, string>>,
  set: 'set' | 'set local' = 'set',
): string =>
  Object.entries(settings)
    .map(([name, value]) => `${set} ${name} = ${value}`)
    .join('; ')

/** Poolers track this setting for each client and apply it to every connection that they assign to that client. */
export const utc = "set timezone = 'UTC'"

/**
 * After a crash, the sequence of event IDs may have lost its last values. A crash ends all connections, so each new
 * direct connection first makes sure that these values have been skipped. Does nothing before the migrations, on
 * workers of a cluster, and on standbys.
 */
export const skipEventIds = `do $$ begin
  if to_regclass('event_ids_skipped') is not null and current_setting('transaction_read_only') = 'off' then
    perform skip_event_ids_after_crash();
  end if;
end $$`
