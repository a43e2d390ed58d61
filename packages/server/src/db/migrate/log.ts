export interface MigrationLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export const silentLog: MigrationLog = { info() {}, warn() {} }

/** The interval, in milliseconds, between log lines about the same wait or step. */
export const LOG_INTERVAL_MS = 10_000
