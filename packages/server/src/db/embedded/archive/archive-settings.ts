import { fileURLToPath } from 'node:url'
import { walFolderOf } from './wal-files.ts'

type Settings = Readonly<Record<string, string>>

/** A full segment is archived immediately. A partial segment is archived after this many seconds if it contains new data. */
const ARCHIVE_TIMEOUT_SECONDS = 60

/** PostgreSQL settings for archiving WAL. */
export const archiveSettings = (archive: string): Settings => ({
  archive_mode: 'on',
  archive_timeout: String(ARCHIVE_TIMEOUT_SECONDS),
  archive_command: `${program(new URL('./archive-command.ts', import.meta.url), archive)} %p %f`,
})

/** Whether an archive_command archives to this folder. */
export const archivesTo = (command: string, archive: string): boolean =>
  command.endsWith(` ${shellWord(walFolderOf(archive))} %p %f`)

/** The point up to which WAL is replayed. */
export interface RecoveryTarget {
  /** If undefined, WAL is replayed up to the end of the archive. */
  time: Date | undefined
  timeline: number
}

/** PostgreSQL settings for replaying the archive and then accepting connections. PostgreSQL does not write to the archive. */
export const recoverySettings = (archive: string, { time, timeline }: RecoveryTarget): Settings => ({
  archive_mode: 'off',
  restore_command: `${program(new URL('./restore-command.ts', import.meta.url), archive)} %f %p`,
  recovery_target_timeline: String(timeline),
  recovery_target_action: 'promote',
  ...(time !== undefined && { recovery_target_time: timestamp(time) }),
  // Clients do not read during replay. If this were on, replay would pause if max_connections is lower than it was originally.
  hot_standby: 'off',
})

/** PostgreSQL does not recognize time zone abbreviations, such as Z, on its command line. */
const timestamp = (time: Date): string => time.toISOString().replace('T', ' ').replace('Z', '+00')

/** Builds a command for the shell that PostgreSQL runs. */
const program = (file: URL, archive: string): string =>
  [process.execPath, fileURLToPath(file), walFolderOf(archive)].map(shellWord).join(' ')

/** PostgreSQL replaces %p and %f, and replaces %% with a single %. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
