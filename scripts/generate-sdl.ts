import { printSdl } from '../packages/server/src/graphql/assemble.ts'
import { buildSchema } from '../packages/server/src/schema.ts'

/** Generates the SDL of the whole API. Clients depend on the SDL, and a test compares new versions with it. */
export async function generateSdl(): Promise<string> {
  return printSdl(buildSchema())
}
