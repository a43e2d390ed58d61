import { BackupError, type BackupReason } from '@muster/server/backup/backup-error.ts'
import { CliError, type ExitCode, exitCodes } from '../cli-error.ts'
import { onInterrupt } from '../process.ts'
import { type Progress, showProgress } from '../progress.ts'

interface Watch {
  signal: AbortSignal
  onProgress: (done: number, total: number) => void
}

const MIB = 2 ** 20

/** Does the work with a bar of mebibytes; the first Ctrl-C has it undo what it did. */
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
    if (signal.aborted) throw new CliError('interrupted: nothing was done', { exitCode: exitCodes.interrupted })
    throw error instanceof BackupError ? told(error) : error
  } finally {
    progress?.stop()
    release()
  }
}

const meanings: Readonly<Record<BackupReason, { exitCode: ExitCode; hint: string }>> = {
  busy: { exitCode: exitCodes.notNow, hint: 'Wait until it is done.' },
  damaged: { exitCode: exitCodes.failed, hint: 'Nothing was changed. Take another backup.' },
  newer: { exitCode: exitCodes.conflict, hint: 'Nothing was changed.' },
  'no-muster': { exitCode: exitCodes.failed, hint: 'Check DATABASE_URL or MUSTER_DATA.' },
  'not-archiving': { exitCode: exitCodes.failed, hint: 'There is no base backup. "muster doctor" looks closer.' },
  occupied: {
    exitCode: exitCodes.conflict,
    hint: 'Nothing was changed. Give --replace to keep that database under another name, or set MUSTER_DATA to another folder.',
  },
  'out-of-range': {
    exitCode: exitCodes.failed,
    hint: 'Nothing was changed. "muster backup --list" shows what can be restored.',
  },
  unsupported: { exitCode: exitCodes.failed, hint: 'Nothing was written.' },
  upgrading: { exitCode: exitCodes.notNow, hint: 'Nothing was written.' },
  taken: { exitCode: exitCodes.conflict, hint: 'Give another name.' },
  'not-empty': {
    exitCode: exitCodes.conflict,
    hint: 'Nothing was changed. Give an empty database: another MUSTER_DATA, or another database in DATABASE_URL.',
  },
  'other-schema': {
    exitCode: exitCodes.conflict,
    hint: 'Nothing was changed. Give a database with nothing in it: its tables are made as the backup needs them.',
  },
  'other-key': {
    exitCode: exitCodes.conflict,
    hint: 'Nothing was changed. Copy master.key of the server that was backed up to MUSTER_DATA, or set MUSTER_MASTER_KEY to its content. With --without-key you can do so later.',
  },
}

function told({ reason, message }: BackupError): CliError {
  return new CliError(message, meanings[reason])
}

export function countRows(rows: Readonly<Record<string, number>>): string {
  const counts = Object.values(rows)
  const sum = counts.reduce((total, count) => total + count, 0)
  return `${sum} rows of ${counts.length} tables`
}
