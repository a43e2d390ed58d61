import { closeSync, fdatasync, openSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const sync = promisify(fdatasync)

/** What a change is to leave behind: a value of its own on a device, in the base or in a context, or a device of its own. */
export interface Change {
  number: number
  kind: 'base' | 'context' | 'register'
  /** Undefined for a new device. */
  device: string | undefined
  name: string
}

/** `unknown`: no answer came, or none that says that it was done. It may be there or not. */
export type Outcome = 'acknowledged' | 'unknown'

export interface Entry {
  change: Change
  outcome: Outcome
}

/**
 * A file of what was meant and what came of it. Both resolve when it is on the disk: before the change is sent, and before its
 * answer counts.
 */
export interface Ledger {
  intend(change: Change): Promise<void>
  note(change: Change, outcome: Outcome): Promise<void>
  /** In the order of intents. What has no outcome is unknown. */
  read(): Promise<Entry[]>
  close(): void
}

export function openLedger(path: string): Ledger {
  const file = openSync(path, 'a')
  let gathered = ''
  let last = Promise.resolve()
  let next: Promise<void> | undefined
  // What comes while others wait for the disk goes together, or clients would come to the server one by one.
  const write = (line: object): Promise<void> => {
    gathered += `${JSON.stringify(line)}\n`
    if (next !== undefined) return next
    next = last.then(async () => {
      writeSync(file, gathered)
      gathered = ''
      next = undefined
      await sync(file)
    })
    last = next
    return next
  }
  return {
    intend: (change) => write({ change }),
    note: ({ number }, outcome) => write({ number, outcome }),
    async read() {
      const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean)
      const entries = new Map<number, Entry>()
      for (const line of lines.map((text) => JSON.parse(text))) {
        if (line.change !== undefined) entries.set(line.change.number, { change: line.change, outcome: 'unknown' })
        else entries.get(line.number)!.outcome = line.outcome
      }
      return Array.from(entries.values())
    },
    close: () => closeSync(file),
  }
}
