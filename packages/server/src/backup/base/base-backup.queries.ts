import type pg from 'pg'

export interface StartedBackup {
  /** The replay begins here. */
  startLsn: string
  /** Of the database's clock. */
  started: Date
}

/** Begins a base backup, which ends with the connection at the latest. `fast`: the checkpoint before it is not spread over time. */
export async function startBackup(client: pg.ClientBase, label: string, fast: boolean): Promise<StartedBackup> {
  const { rows } = await client.query<StartedBackup>(
    'select pg_backup_start($1, $2)::text as "startLsn", clock_timestamp() as started',
    [label, fast],
  )
  return rows[0]!
}

export interface StoppedBackup {
  /** Replayed up to here, the files are consistent. */
  stopLsn: string
  /** Content of the file backup_label, without which PostgreSQL would begin the replay at a wrong position. */
  label: string
  /** A moment that is not before the end of the backup. */
  ended: Date
}

/** Ends the backup and switches to a new WAL segment, so that the last one is archived. Does not wait for the archive. */
export async function stopBackup(client: pg.ClientBase): Promise<StoppedBackup> {
  const { rows } = await client.query<Omit<StoppedBackup, 'ended'>>(
    'select lsn::text as "stopLsn", labelfile as label from pg_backup_stop(false)',
  )
  // Dates have milliseconds: rounded up.
  const { rows: times } = await client.query<{ ended: Date }>(
    "select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as ended",
  )
  return { ...rows[0]!, ...times[0]! }
}

/** When the last transaction that was replayed had committed; undefined when there was none. */
export async function selectLastReplayed(client: pg.ClientBase): Promise<Date | undefined> {
  const { rows } = await client.query<{ last: Date | null }>('select pg_last_xact_replay_timestamp() as last')
  return rows[0]!.last ?? undefined
}

/** One base backup at a time; released with the connection. */
export async function tryBackupLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(hashtext('muster base backup')) as locked`,
  )
  return rows[0]!.locked
}

/** The command that archives a WAL file; undefined when the running database does not archive. */
export async function selectArchiveCommand(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ isOn: boolean; command: string }>(
    `select current_setting('archive_mode') <> 'off' as "isOn", current_setting('archive_command') as command`,
  )
  const { isOn, command } = rows[0]!
  return isOn ? command : undefined
}

/**
 * Since when PostgreSQL has archived nothing, if its last attempt failed; undefined while it succeeds. It tries again and
 * again.
 */
export async function selectArchiveFailure(client: pg.ClientBase): Promise<Date | undefined> {
  const { rows } = await client.query<{ failing: Date | null }>(`
    select case when last_failed_time > coalesce(last_archived_time, '-infinity')
      then coalesce(last_archived_time, stats_reset, last_failed_time) end as failing
    from pg_stat_archiver`)
  return rows[0]!.failing ?? undefined
}
