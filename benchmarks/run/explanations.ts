import { readFile } from 'node:fs/promises'

/** Written by hand from profiles: a section for each scenario, under its name. */
const written = new URL('../shortfalls.md', import.meta.url)

/** What the report says where a scenario misses a target, by its name. */
export async function readExplanations(): Promise<ReadonlyMap<string, string>> {
  const [, ...sections] = (await readFile(written, 'utf8')).split(/^## /m)
  return new Map(
    sections.map((section): [string, string] => {
      const end = section.indexOf('\n')
      return [section.slice(0, end).trim(), section.slice(end).trim()]
    }),
  )
}
