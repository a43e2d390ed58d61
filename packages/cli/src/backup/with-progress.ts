import { BackupError, type BackupReason } from '@muster/server/backup/backup-error.ts'
import { CliError } from '../errors/cli-error.ts'
import { type ExitCode, exitCodes } from '../errors/exit-codes.ts'
import { onInterrupt } from '../terminal/interrupt.ts'
import { type Progress, showProgress } from '../terminal/progress.ts'

interface Watch {
  signal: AbortSignal
  onProgress: (done: number, total: number) => void
}

const MIB = 2 ** 20

/** Shows the progress of `work`. The first Ctrl-C aborts the signal, and `work` must then undo its changes. */
export async function withProgress<Result>(
  { quiet }: { quiet: boolean },
  work: (watch: Watch) => Promise<Result>,
): Promise<Result> {
  let progress: Progress | undefined
  const { signal, release } = onInterrupt(() => {})
  const onProgress = (done: number, total: number): void => {
    progress ??= showProgress(Math.round(total / MIB), { quiet })
    progress.update(Math.round(done / MIB))
  }
  try {
    return await work({ signal, onProgress })
  } catch (error) {
    if (signal.aborted) throw new CliError('interrupted; no data was changed', { exitCode: exitCodes.interrupted })
    throw error instanceof BackupError ? new CliError(error.message, meanings[error.reason]) : error
  } finally {
    progress?.stop()
    release()
  }
}

const meanings: Readonly<Record<BackupReason, { exitCode: ExitCode; hint: string }>> = {
  busy: { exitCode: exitCodes.notNow, hint: 'Nothing was written.' },
  damaged: {
    exitCode: exitCodes.failed,
    hint: 'The database was not changed. Use another backup file or, if a base backup in the archive is damaged, move it out of the archive and try again.',
  },
  newer: { exitCode: exitCodes.conflict, hint: 'Nothing was changed.' },
  older: { exitCode: exitCodes.conflict, hint: 'Nothing was changed.' },
  'no-muster': { exitCode: exitCodes.failed, hint: 'Check DATABASE_URL or, if it is not set, MUSTER_DATA.' },
  'not-archiving': { exitCode: exitCodes.failed, hint: 'No base backup was taken. Run "muster doctor" for details.' },
  occupied: {
    exitCode: exitCodes.conflict,
    hint: 'Nothing was changed. Pass --replace to rename this folder, or set MUSTER_DATA to another folder.',
  },
  'out-of-range': {
    exitCode: exitCodes.failed,
    hint: 'Nothing was changed. To list the times to which you can restore from MUSTER_ARCHIVE_DIR, run "muster backup --list".',
  },
  unsupported: { exitCode: exitCodes.failed, hint: 'Nothing was written.' },
  upgrading: { exitCode: exitCodes.notNow, hint: 'Nothing was written.' },
  taken: { exitCode: exitCodes.conflict, hint: 'Pass the path of a new file.' },
  'not-empty': {
    exitCode: exitCodes.conflict,
    hint: 'Nothing was changed. Set DATABASE_URL to an empty database, or unset it and set MUSTER_DATA to a folder without a database.',
  },
  'not-pruned': {
    exitCode: exitCodes.partly,
    hint: 'The next base backup removes these files. If a base backup in the archive is damaged or of another release, first move it out of the archive.',
  },
  'other-schema': {
    exitCode: exitCodes.conflict,
    hint: 'Nothing was changed. Use a database without tables; the restore creates the tables that the backup needs.',
  },
  'other-key': {
    exitCode: exitCodes.conflict,
    hint: 'Nothing was changed. Copy master.key from the original server to MUSTER_DATA, or set MUSTER_MASTER_KEY, which takes precedence, to the content of that file. To do this after the restore, pass --without-key.',
  },
}

export function countRows(rows: Readonly<Record<string, number>>): string {
  const counts = Object.values(rows)
  const sum = counts.reduce((total, count) => total + count, 0)
  return `${sum} rows in ${counts.length} tables`
}
