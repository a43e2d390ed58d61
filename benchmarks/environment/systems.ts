import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

export interface Command {
  /** Arguments for `node`. */
  args: readonly string[]
  env?: Readonly<Record<string, string>>
}

/** The command that `npm start` runs in a checkout, with absolute paths. */
export function startCommand(checkout: string): Required<Command> {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [assignments, args] = scripts.start.split('exec node ')
  return {
    args: args!.split(' ').map((arg) => (arg.startsWith('packages/') ? resolve(checkout, arg) : arg)),
    env: Object.fromEntries(assignments!.split(' ').flatMap((each) => (each === '' ? [] : [each.split('=')]))),
  }
}

/** The systems to compare. Each system is a process with thirteen connections to the same database. */
export const systems = {
  /** Muster, started as with `npm start`. */
  server: startCommand(path('../..')),
  /** Handwritten code that runs the server's SQL without GraphQL or signatures. */
  baseline: { args: [path('../baseline/main.ts')] },
  /** The smallest possible Fastify route. */
  fastify: { args: [path('../baseline/bare-fastify.ts')] },
  postgraphile: { args: [path('../peers/postgraphile.js')] },
  /** An API server built with Apollo Server, Kysely, and DataLoader. */
  apollo: { args: [path('../peers/apollo.js')] },
} as const satisfies Record<string, Command>

/** `before` is the server in the checkout that `--before` names. */
export type System = keyof typeof systems | 'before'

/** Whether the system is Muster, which requires signed requests. */
export const isMuster = (system: System): boolean => system === 'server' || system === 'before'

/** The systems that need the packages of benchmarks/peers. */
export const peers: ReadonlySet<System> = new Set(['postgraphile', 'apollo'])

export const DATABASE_CONNECTIONS = 13
