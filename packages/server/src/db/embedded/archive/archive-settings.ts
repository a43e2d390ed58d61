import { fileURLToPath } from 'node:url'
import { walFolderOf } from './wal-archive.ts'

type Settings = Readonly<Record<string, string>>

/** After this time, PostgreSQL archives a partial segment that contains new data. It archives full segments at once. */
const ARCHIVE_TIMEOUT_SECONDS = 60

export const archiveSettings = (archive: string): Settings => ({
  archive_mode: 'on',
  archive_timeout: String(ARCHIVE_TIMEOUT_SECONDS),
  archive_command: `${program(new URL('./archive-command.ts', import.meta.url), archive)} %p %f`,
})

export const archivesTo = (command: string, archive: string): boolean =>
  command.endsWith(` ${shellWord(walFolderOf(archive))} %p %f`)

/** The timeline that PostgreSQL replays from the archive, and the time at which the replay stops. */
export interface RecoveryTarget {
  /** If undefined, PostgreSQL replays WAL up to the end of the archive. */
  time: Date | undefined
  timeline: number
}

/** With these settings, PostgreSQL replays the WAL up to the target, then accepts connections. It archives no WAL. */
export const recoverySettings = (archive: string, { time, timeline }: RecoveryTarget): Settings => ({
  archive_mode: 'off',
  restore_command: `${program(new URL('./restore-command.ts', import.meta.url), archive)} %f %p`,
  recovery_target_timeline: String(timeline),
  recovery_target_action: 'promote',
  ...(time !== undefined && { recovery_target_time: timestamp(time) }),
  // With hot_standby, replay would pause if max_connections were lower than when the WAL was written.
  hot_standby: 'off',
})

/** On its command line, PostgreSQL does not recognize time zone abbreviations such as Z. */
const timestamp = (time: Date): string => time.toISOString().replace('T', ' ').replace('Z', '+00')

const program = (file: URL, archive: string): string =>
  [process.execPath, fileURLToPath(file), walFolderOf(archive)].map(shellWord).join(' ')

/** PostgreSQL replaces %p and %f in the command, so a literal % must be written as %%. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
