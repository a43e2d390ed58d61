import { printSdl } from '../packages/server/src/graphql/assemble.ts'
import { buildSchema } from '../packages/server/src/schema.ts'

export const generateSdl = (): string => printSdl(buildSchema())
