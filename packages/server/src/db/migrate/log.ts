/** The part of a pino logger that migrations use. */
export interface MigrationLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export const silentLog: MigrationLog = { info() {}, warn() {} }

/** Between two words about the same wait. */
export const TELL_EVERY_MS = 10_000
