import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

export interface Command {
  /** Arguments of `node`. */
  args: readonly string[]
  env?: Readonly<Record<string, string>>
}

/** How `npm start` starts the server of a checkout, with absolute paths. */
export function startCommand(checkout: string): Required<Command> {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [assignments, args] = scripts.start.split('exec node ')
  return {
    args: args!.split(' ').map((arg) => (arg.startsWith('packages/') ? resolve(checkout, arg) : arg)),
    env: Object.fromEntries(assignments!.split(' ').flatMap((each) => (each === '' ? [] : [each.split('=')]))),
  }
}

/** What is measured: each is a process with ten connections to the same database. */
export const contestants = {
  /** As `npm start` starts it. */
  server: startCommand(path('../..')),
  /** The same SQL by hand, without GraphQL and signatures. */
  floor: { args: [path('../baseline/main.ts')] },
  /** The least that a route of Fastify does. */
  fastify: { args: [path('../baseline/bare-fastify.ts')] },
  postgraphile: { args: [path('../peers/postgraphile.js')] },
  /** Apollo Server, Kysely and DataLoader. */
  apollo: { args: [path('../peers/apollo.js')] },
} as const satisfies Record<string, Command>

/** `before`: the server of the checkout that --before names. */
export type Contestant = keyof typeof contestants | 'before'

/** The contestants that are Muster, and take its signed requests. */
export const isServer = (contestant: Contestant): boolean => contestant === 'server' || contestant === 'before'

/** Those that need what benchmarks/peers installs. */
export const peers: ReadonlySet<Contestant> = new Set(['postgraphile', 'apollo'])

export const DATABASE_CONNECTIONS = 10
