import { readFile } from 'node:fs/promises'

/** What a report says where a target is missed, by the heading of its section. `written` by hand, from profiles. */
export async function readExplanations(written: URL): Promise<ReadonlyMap<string, string>> {
  const [, ...sections] = (await readFile(written, 'utf8')).split(/^## /m)
  return new Map(
    sections.map((section): [string, string] => {
      const end = section.indexOf('\n')
      return [section.slice(0, end).trim(), section.slice(end).trim()]
    }),
  )
}
