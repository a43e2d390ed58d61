import type { Command } from 'commander'

/** A command as the help lists it, and where the rest of it is: loaded when it is the one that was asked for. */
export interface CommandEntry {
  name: string
  summary: string
  /** Heading in the help. */
  group?: string
  description?: string
  load?: () => Promise<Command>
  verbs?: readonly CommandEntry[]
}
