import { printSdl } from '../packages/server/src/graphql/assemble.ts'
import { buildSchema } from '../packages/server/src/schema.ts'

/** The API's schema as text: what clients build on, and what a change is judged against. */
export async function generateSchemaText(): Promise<string> {
  return printSdl(buildSchema())
}
