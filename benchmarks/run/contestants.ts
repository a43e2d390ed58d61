import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** What stands around `exec node`, with paths that hold wherever the benchmark runs. */
function asNpmStarts(): { args: string[]; env: Record<string, string> } {
  const { scripts } = JSON.parse(readFileSync(path('../../package.json'), 'utf8')) as { scripts: { start: string } }
  const [assignments, args] = scripts.start.split('exec node ')
  return {
    args: args!.split(' ').map((arg) => (arg.startsWith('packages/') ? path(`../../${arg}`) : arg)),
    env: Object.fromEntries(assignments!.split(' ').flatMap((each) => (each === '' ? [] : [each.split('=')]))),
  }
}

/** What is measured: each a process of its own on the same database, with ten connections to it. */
export const contestants = {
  /** As `npm start` starts it. */
  server: asNpmStarts(),
  /** The same SQL by hand, without GraphQL and signatures. */
  floor: { args: [path('../floor/main.ts')] },
  /** The least that a route of Fastify does. */
  fastify: { args: [path('../floor/bare-fastify.ts')] },
  postgraphile: { args: [path('../peers/postgraphile.js')] },
  /** Apollo Server, Kysely and DataLoader. */
  apollo: { args: [path('../peers/apollo.js')] },
} as const satisfies Record<string, { args: readonly string[]; env?: Readonly<Record<string, string>> }>

export type Contestant = keyof typeof contestants

/** Those that need what benchmarks/peers installs. */
export const peers: ReadonlySet<Contestant> = new Set(['postgraphile', 'apollo'])

export const DATABASE_CONNECTIONS = 10
