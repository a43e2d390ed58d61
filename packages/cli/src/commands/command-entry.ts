import type { Command } from 'commander'

/** A command's line in the help, and a function that loads the command when it is needed. */
export interface CommandEntry {
  name: string
  summary: string
  /** Heading in the help. */
  group?: string
  description?: string
  load?: () => Promise<Command>
  verbs?: readonly CommandEntry[]
}
