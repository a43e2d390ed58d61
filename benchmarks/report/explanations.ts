import { readFile } from 'node:fs/promises'

export async function readExplanations(file: URL): Promise<ReadonlyMap<string, string>> {
  const [, ...sections] = (await readFile(file, 'utf8')).split(/^## /m)
  return new Map(
    sections.map((section): [string, string] => {
      const end = section.indexOf('\n')
      return [section.slice(0, end).trim(), section.slice(end).trim()]
    }),
  )
}
