import { resolve } from 'node:path'
import { setting } from './setting.ts'
import { integer, timeSpan } from './values.ts'

const MIB = 2 ** 20

/** What is kept to restore the database from. */
export const backupSettings = {
  archiveFolder: setting({
    name: 'MUSTER_ARCHIVE_DIR',
    meaning:
      'Folder in which the embedded database archives its write-ahead log and its base backups, so that it can be restored to any moment. Best on another disk. Not set: no archive.',
    default: 'not set',
    parse: (text) => (text === undefined ? undefined : resolve(text)),
  }),
  backupEvery: setting({
    name: 'MUSTER_BACKUP_EVERY',
    meaning:
      'How often the server backs up by itself, such as 12h or 1d: a base backup where MUSTER_ARCHIVE_DIR is set, else a file in MUSTER_BACKUP_DIR. Set it for one of several servers. Not set: never.',
    default: 'not set',
    parse: (text) => (text === undefined ? undefined : timeSpan(text)),
  }),
  backupKeep: setting({
    name: 'MUSTER_BACKUP_KEEP',
    meaning:
      'How many backups are kept: base backups with the write-ahead log since the oldest of them, or files that the server wrote by schedule.',
    default: '7',
    parse: (text) => integer(text ?? '7', 1, 10_000),
  }),
  backupFolder: setting({
    name: 'MUSTER_BACKUP_DIR',
    meaning: 'Folder of the files that MUSTER_BACKUP_EVERY writes. Best on another disk.',
    default: 'MUSTER_DATA/backups',
    parse: (text) => (text === undefined ? undefined : resolve(text)),
  }),
  backupRate: setting({
    name: 'MUSTER_BACKUP_RATE',
    meaning:
      'MiB that scheduled and base backups read in a second at most, so that requests are not held up; 0 for no limit.',
    default: '32',
    parse: (text) => integer(text ?? '32', 0, 100_000) * MIB,
  }),
}
