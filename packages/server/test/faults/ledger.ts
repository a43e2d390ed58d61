import { closeSync, fdatasync, openSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const sync = promisify(fdatasync)

/**
 * A change with a unique number. A change to an attribute sets the number as the base value or in a context. A
 * registration uses the number as the device's hardware ID.
 */
export interface Change {
  number: number
  kind: 'base' | 'context' | 'register'
  /** Undefined for a new device. */
  device: string | undefined
  name: string
}

/** `unknown` means that no response arrived, or that the response was an error. The change may or may not be stored. */
export type Outcome = 'acknowledged' | 'unknown'

export interface Entry {
  change: Change
  outcome: Outcome
}

/**
 * A file of changes and their outcomes. A client sends a change only after `intend` resolves, and counts the response
 * only after `note` resolves.
 */
export interface Ledger {
  intend(change: Change): Promise<void>
  note(change: Change, outcome: Outcome): Promise<void>
  /** Returns all changes with their outcomes. The outcome of a change without a note is `unknown`. */
  read(): Promise<Entry[]>
  close(): void
}

export function openLedger(path: string): Ledger {
  const file = openSync(path, 'a')
  let buffered = ''
  let last = Promise.resolve()
  let next: Promise<void> | undefined
  // Entries that arrive during a flush are flushed together afterward. Otherwise, clients would send only one request
  // at a time.
  const write = (line: object): Promise<void> => {
    buffered += `${JSON.stringify(line)}\n`
    if (next !== undefined) return next
    next = last.then(async () => {
      writeSync(file, buffered)
      buffered = ''
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
