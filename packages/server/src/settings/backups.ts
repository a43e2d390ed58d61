import { resolve } from 'node:path'
import { setting } from './setting.ts'
import { integer, timeSpan } from './values.ts'

const MIB = 2 ** 20

export const backupSettings = {
  archiveFolder: setting({
    name: 'MUSTER_ARCHIVE_DIR',
    meaning:
      'Folder for the archive: the write-ahead log and base backups of the embedded database. With the archive, you can restore the database to any point in time after the oldest base backup. Use a different disk if possible. Not set: no archive.',
    default: 'not set',
    parse: (text) => (text === undefined ? undefined : resolve(text)),
  }),
  backupEvery: setting({
    name: 'MUSTER_BACKUP_EVERY',
    meaning:
      'How often the server takes a backup, such as 12h or 1d: a base backup if MUSTER_ARCHIVE_DIR is set, otherwise a file in MUSTER_BACKUP_DIR. If several servers share the database, set this on only one of them. Not set: never.',
    default: 'not set',
    parse: (text) => (text === undefined ? undefined : timeSpan(text)),
  }),
  backupKeep: setting({
    name: 'MUSTER_BACKUP_KEEP',
    meaning:
      'Number of backups to keep. If MUSTER_ARCHIVE_DIR is set: base backups, and the write-ahead log since the oldest of them. Otherwise: scheduled backup files.',
    default: '7',
    parse: (text) => integer(text ?? '7', 1, 10_000),
  }),
  backupFolder: setting({
    name: 'MUSTER_BACKUP_DIR',
    meaning: 'Folder for scheduled backup files (MUSTER_BACKUP_EVERY). Use a different disk if possible.',
    default: 'MUSTER_DATA/backups',
    parse: (text) => (text === undefined ? undefined : resolve(text)),
  }),
  backupRate: setting({
    name: 'MUSTER_BACKUP_RATE',
    meaning:
      'Maximum MiB per second that scheduled and base backups read. A higher rate can slow down requests. 0: no limit.',
    default: '32',
    parse: (text) => integer(text ?? '32', 0, 100_000) * MIB,
  }),
}
