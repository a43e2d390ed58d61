const EXIT_DELAY_MS = 3_000

/**
 * Ends the process after a delay, even if handles are still open. All parts that matter are closed by then, but
 * connections to an unresponsive database may never close.
 */
export function exitSoon(): void {
  setTimeout(() => process.exit(), EXIT_DELAY_MS).unref()
}
