import { printSdl } from '../packages/server/src/graphql/assemble.ts'
import { buildSchema } from '../packages/server/src/schema.ts'

export async function generateSdl(): Promise<string> {
  return printSdl(buildSchema())
}
