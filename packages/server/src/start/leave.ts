const LEFT_WITHIN_MS = 3_000

/**
 * Has the process end though something is still open: all that matters is closed by then, but a database that has fallen silent
 * never lets go of its connections.
 */
export function leave(): void {
  setTimeout(() => process.exit(), LEFT_WITHIN_MS).unref()
}
