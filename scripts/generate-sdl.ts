import { printSdl } from '../packages/server/src/graphql/assemble.ts'
import { buildSchema } from '../packages/server/src/schema.ts'

/**
 * Generates the SDL of the whole API. A test compares later versions of the SDL with the committed ones, because
 * clients depend on it.
 */
export async function generateSdl(): Promise<string> {
  return printSdl(buildSchema())
}
