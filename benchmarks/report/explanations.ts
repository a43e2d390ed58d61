import { readFile } from 'node:fs/promises'

/** Reads the sections of a handwritten file, keyed by heading. Each section explains why a target is missed. */
export async function readExplanations(file: URL): Promise<ReadonlyMap<string, string>> {
  const [, ...sections] = (await readFile(file, 'utf8')).split(/^## /m)
  return new Map(
    sections.map((section): [string, string] => {
      const end = section.indexOf('\n')
      return [section.slice(0, end).trim(), section.slice(end).trim()]
    }),
  )
}
