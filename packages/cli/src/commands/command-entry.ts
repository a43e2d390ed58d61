import type { Command } from 'commander'

type Load = () => Promise<{ buildCommand(): Command }>

export interface CommandEntry {
  name: string
  summary: string
  group?: string
  description?: string
  load?: Load
  verbs?: readonly CommandEntry[]
}

export const command = (name: string, summary: string, load: Load): CommandEntry => ({ name, summary, load })

export const noun = (
  name: string,
  summary: string,
  description: string,
  verbs: readonly CommandEntry[],
): CommandEntry => ({ name, summary, description, verbs })

export const inGroup = (group: string, entries: readonly CommandEntry[]): CommandEntry[] =>
  entries.map((entry) => ({ ...entry, group }))
