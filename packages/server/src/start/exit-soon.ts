const EXIT_DELAY_MS = 3_000

/** Connections to an unresponsive database may never close, so the process must not wait for them forever. */
export function exitSoon(): void {
  setTimeout(() => process.exit(), EXIT_DELAY_MS).unref()
}
