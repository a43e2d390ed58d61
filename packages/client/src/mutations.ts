import { nameOf, typeOf } from './schema/default-fields.ts'
import { schemaTable } from './schema/table.generated.ts'
import type { Mutations } from './schema/types.generated.ts'
import { plainSelection } from './select/build-document.ts'
import type { CallOptions } from './types.ts'

export type RunMutation = (selection: object, options: CallOptions) => Promise<Record<string, unknown>>

/** Creates a function for each mutation in the schema. Each function selects all plain fields of the result. */
export function createMutations(run: RunMutation): Mutations {
  const functions = Object.entries(schemaTable.Mutation!).map(([name, entry]) => {
    const target = nameOf(typeOf(entry))
    const mutation = async (args: object, options: CallOptions = {}): Promise<unknown> => {
      const selection = target in schemaTable ? plainSelection(target) : {}
      return (await run({ [name]: { $: args, ...selection } }, options))[name]
    }
    return [name, mutation]
  })
  return Object.fromEntries(functions) as Mutations
}
