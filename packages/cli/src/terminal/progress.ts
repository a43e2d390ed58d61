import { SingleBar } from 'cli-progress'

export interface Progress {
  /** Shows the progress. `total`, if given, replaces the previous total. */
  update(done: number, total?: number): void
  note(text: string): void
  stop(): void
}

export function showProgress(total: number, { quiet }: { quiet: boolean }): Progress {
  const note = (text: string): void => console.error(text)
  if (quiet || !process.stderr.isTTY || total === 0) return { update() {}, note, stop() {} }
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {value}/{total} | {duration_formatted}',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    // Leave Ctrl-C to the command, which handles it.
    gracefulExit: false,
  })
  bar.start(total, 0)
  return {
    update(done, total) {
      if (total !== undefined) bar.setTotal(total)
      bar.update(done)
    },
    note(text) {
      process.stderr.write(`\n${text}\n`)
    },
    stop: () => bar.stop(),
  }
}
