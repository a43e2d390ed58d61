import type { Muster } from '@muster/client'
import { printJson, printRows } from '../output/print-result.ts'
import { findAttribute, flatten } from './dotted-attributes.ts'

interface Row {
  name: string
  base: string | null
  context: string | null
  value: string | null
}

export async function printContexts(muster: Muster, target: string, { json }: { json?: boolean }): Promise<void> {
  const base = await muster.attributes.get(target)
  const rows: Row[] = flatten(base).map(([name, value]) => ({ name, base: value, context: null, value }))
  for (const context of await muster.attributes.contexts(target)) {
    for (const [name, value] of flatten(await muster.attributes.overrides(target, context)))
      rows.push({ name, base: findAttribute(base, name), context, value })
  }
  rows.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
  if (json) return printJson(rows)
  await printRows(rows, [
    { name: 'name', value: ({ name }) => name },
    { name: 'context', value: ({ context }) => context },
    { name: 'value', value: ({ value }) => value },
  ])
}
