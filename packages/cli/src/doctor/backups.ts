import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupStatus } from '@muster/server/backup/schedule/status-file.ts'
import { type Finding, failed, ok, warning } from './check.ts'

const MIB = 2 ** 20
/** The age at which backup-status.json is outdated. A running server updates the file about every 10 seconds. */
const STALE_MS = 5 * 60_000
const PENDING_WARNING_BYTES = 1024 * MIB
const HOURS_MS = 3_600_000

export async function* checkBackups(dataFolder: string, now = Date.now()): AsyncGenerator<Finding> {
  const status = await readStatus(join(dataFolder, 'backup-status.json'))
  if (status === undefined) return
  const age = now - Date.parse(status.checked)
  if (age > STALE_MS)
    yield warning(
      'backups',
      `the server last checked its backups at ${status.checked}`,
      'Is the server running? Check its log.',
    )
  else if (status.archive !== null) yield checkArchive(status.archive, status.folder)
  yield checkAge(status, now)
}

async function readStatus(file: string): Promise<BackupStatus | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as BackupStatus
  } catch {
    return undefined
  }
}

function checkArchive({ failingSince, pendingBytes }: NonNullable<BackupStatus['archive']>, folder: string): Finding {
  const pending = `${Math.ceil(pendingBytes / MIB)} MiB of write-ahead log is not yet in ${folder}`
  const hint = `Free up space in ${folder}, and make sure that the server can write there. For the cause, see the end of pg.log in MUSTER_DATA.`
  if (failingSince !== null)
    return failed('archive', `archiving has been failing since ${failingSince}: ${pending}`, hint)
  if (pendingBytes > PENDING_WARNING_BYTES) return warning('archive', `archiving is behind: ${pending}`, hint)
  return ok('archive', `the write-ahead log is archived in ${folder}`)
}

function checkAge({ everyMs, newest, failure, folder }: BackupStatus, now: number): Finding {
  const reason = failure === null ? '' : `; the last attempt failed at ${failure.at}: ${failure.message}`
  const hint = `Check the server log and the free space in ${folder}.`
  if (newest === null) {
    const message = `no backups found in ${folder}${reason}`
    if (everyMs === null) return warning('backup', message, 'Run "muster backup --base", or set MUSTER_BACKUP_EVERY.')
    return failure === null ? warning('backup', message, hint) : failed('backup', message, hint)
  }
  const message = `the newest backup in ${folder} is from ${newest}`
  if (everyMs !== null && now - Date.parse(newest) > 2 * everyMs) {
    const every = `${Number((everyMs / HOURS_MS).toFixed(2))} h`
    return failed('backup', `${message}, but MUSTER_BACKUP_EVERY requires a backup every ${every}${reason}`, hint)
  }
  return failure === null ? ok('backup', message) : warning('backup', `${message}${reason}`, hint)
}
