import { resolve } from 'node:path'
import { optionalSetting, setting } from './setting.ts'
import { integer, timeSpan } from './values.ts'

const MIB = 2 ** 20

export const backupSettings = {
  archiveFolder: optionalSetting({
    name: 'MUSTER_ARCHIVE_DIR',
    meaning:
      'Folder for the archive of the embedded database: its write-ahead log and base backups. You can restore the database to any archived point in time after the oldest base backup. If possible, put the folder on a different disk from the database. Not set: no archive.',
    parse: (text) => resolve(text),
  }),
  backupEvery: optionalSetting({
    name: 'MUSTER_BACKUP_EVERY',
    meaning:
      'Interval between scheduled backups, such as 12h or 1d. The server takes base backups if MUSTER_ARCHIVE_DIR is set, and otherwise writes backup files to MUSTER_BACKUP_DIR. If several servers share the database, schedule backups on only one of them. Not set: no scheduled backups.',
    parse: timeSpan,
  }),
  backupKeep: setting({
    name: 'MUSTER_BACKUP_KEEP',
    meaning:
      'Number of backups to keep: base backups if MUSTER_ARCHIVE_DIR is set, otherwise scheduled backup files. With base backups, the archive also keeps the write-ahead log since the oldest of them.',
    default: '7',
    parse: (text) => integer(text ?? '7', 1, 10_000),
  }),
  backupFolder: setting({
    name: 'MUSTER_BACKUP_DIR',
    meaning:
      'Folder for the backup files that MUSTER_BACKUP_EVERY schedules. If possible, put the folder on a different disk from the database. Has no effect if MUSTER_ARCHIVE_DIR is set.',
    default: 'MUSTER_DATA/backups',
    parse: (text) => (text === undefined ? undefined : resolve(text)),
  }),
  backupRate: setting({
    name: 'MUSTER_BACKUP_RATE',
    meaning:
      'Maximum rate, in MiB per second, at which scheduled backups and base backups read data. A higher rate can slow down requests. 0: no limit.',
    default: '32',
    parse: (text) => integer(text ?? '32', 0, 100_000, 'MiB per second') * MIB,
  }),
}
