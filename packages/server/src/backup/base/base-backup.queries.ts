import type pg from 'pg'

export interface StartedBackup {
  /** The WAL position at which the replay begins. */
  startLsn: string
  started: Date
}

/** If the connection closes, PostgreSQL aborts the backup. With `fast`, the initial checkpoint is immediate. */
export async function startBackup(client: pg.ClientBase, label: string, fast: boolean): Promise<StartedBackup> {
  const { rows } = await client.query<StartedBackup>(
    'select pg_backup_start($1, $2)::text as "startLsn", clock_timestamp() as started',
    [label, fast],
  )
  return rows[0]!
}

export interface StoppedBackup {
  /** The WAL position at which the files are consistent. The replay must reach this position. */
  stopLsn: string
  /** The content of backup_label. Without this file, the replay would begin at the wrong position. */
  label: string
  /** A time shortly after the backup ended. */
  ended: Date
}

/**
 * Ends the backup. PostgreSQL then switches to a new WAL segment, because it archives only finished segments. Does not
 * wait for the archive.
 */
export async function stopBackup(client: pg.ClientBase): Promise<StoppedBackup> {
  const { rows } = await client.query<Omit<StoppedBackup, 'ended'>>(
    'select lsn::text as "stopLsn", labelfile as label from pg_backup_stop(false)',
  )
  // The time is rounded up, because a Date has only millisecond precision.
  const { rows: times } = await client.query<{ ended: Date }>(
    "select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as ended",
  )
  return { ...rows[0]!, ...times[0]! }
}

/** Returns when the last replayed transaction was committed, or undefined if none was replayed. */
export async function selectLastReplayed(client: pg.ClientBase): Promise<Date | undefined> {
  const { rows } = await client.query<{ last: Date | null }>('select pg_last_xact_replay_timestamp() as last')
  return rows[0]!.last ?? undefined
}

/** Returns false if another backup holds the lock. PostgreSQL releases the lock when the connection ends. */
export async function tryBackupLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(hashtext('muster base backup')) as locked`,
  )
  return rows[0]!.locked
}

/** Returns the command that archives a WAL file, or undefined if the running database does not archive. */
export async function selectArchiveCommand(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ isOn: boolean; command: string }>(
    `select current_setting('archive_mode') <> 'off' as "isOn", current_setting('archive_command') as command`,
  )
  const { isOn, command } = rows[0]!
  return isOn ? command : undefined
}

/** Returns approximately when archiving began to fail, or undefined if the last attempt did not fail. */
export async function selectArchiveFailure(client: pg.ClientBase): Promise<Date | undefined> {
  const { rows } = await client.query<{ failing: Date | null }>(`
    select case when last_failed_time > coalesce(last_archived_time, '-infinity')
      then coalesce(last_archived_time, stats_reset, last_failed_time) end as failing
    from pg_stat_archiver`)
  return rows[0]!.failing ?? undefined
}
