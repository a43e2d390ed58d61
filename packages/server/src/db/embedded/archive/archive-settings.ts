import { fileURLToPath } from 'node:url'
import { walFolderOf } from './wal-files.ts'

type Settings = Readonly<Record<string, string>>

/** A finished segment is archived at once; an unfinished one after this many seconds, if anything was written. */
const ARCHIVE_TIMEOUT_SECONDS = 60

/** Settings of PostgreSQL with which it archives its WAL. */
export const archiveSettings = (archive: string): Settings => ({
  archive_mode: 'on',
  archive_timeout: String(ARCHIVE_TIMEOUT_SECONDS),
  archive_command: `${program('archive-wal.ts', archive)} %p %f`,
})

/** Whether PostgreSQL, by its archive_command, archives into this folder. */
export const archivesTo = (command: string, archive: string): boolean =>
  command.endsWith(` ${word(walFolderOf(archive))} %p %f`)

/** Up to which commit WAL is replayed. */
export interface RecoveryTarget {
  /** Undefined: up to the end of the archive. */
  time: Date | undefined
  timeline: number
}

/** Settings of PostgreSQL with which it replays the archive, then serves. It writes nothing to the archive meanwhile. */
export const recoverySettings = (archive: string, { time, timeline }: RecoveryTarget): Settings => ({
  archive_mode: 'off',
  restore_command: `${program('fetch-wal.ts', archive)} %f %p`,
  recovery_target_timeline: String(timeline),
  recovery_target_action: 'promote',
  ...(time !== undefined && { recovery_target_time: timestamp(time) }),
  // Nobody reads meanwhile, and with it on, fewer connections than the server had would halt the replay.
  hot_standby: 'off',
})

/** Abbreviations of zones, such as Z, are unknown when PostgreSQL reads its command line. */
const timestamp = (time: Date): string => time.toISOString().replace('T', ' ').replace('Z', '+00')

/** A command for the shell that PostgreSQL runs. */
const program = (name: string, archive: string): string =>
  [process.execPath, fileURLToPath(new URL(name, import.meta.url)), walFolderOf(archive)].map(word).join(' ')

/** PostgreSQL replaces %p and %f; a doubled % stands for itself. */
const word = (text: string): string => `'${text.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
