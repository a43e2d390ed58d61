import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

export interface Command {
  args: readonly string[]
  env?: Readonly<Record<string, string>>
}

export function startCommand(checkout: string): Required<Command> {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [assignments, args] = scripts.start.split('exec node ')
  return {
    args: args!.split(' ').map((arg) => (arg.startsWith('packages/') ? resolve(checkout, arg) : arg)),
    env: Object.fromEntries(assignments!.split(' ').flatMap((each) => (each === '' ? [] : [each.split('=')]))),
  }
}

/** The systems to compare. All except `fastify` use the same database, each with up to 13 connections for requests. */
export const systems = {
  server: startCommand(path('../..')),
  baseline: { args: [path('../baseline/main.ts')] },
  aedes: { args: [path('../baseline/bare-aedes.ts')] },
  fastify: { args: [path('../baseline/bare-fastify.ts')] },
  postgraphile: { args: [path('../peers/postgraphile.js')] },
  apollo: { args: [path('../peers/apollo.js')] },
} as const satisfies Record<string, Command>

/** `before` is the server in the checkout that `--before` names. */
export type System = keyof typeof systems | 'before'

/** Returns whether the system is Muster, which requires signed requests. */
export const isMuster = (system: System): boolean => system === 'server' || system === 'before'

export const peers: ReadonlySet<System> = new Set(['postgraphile', 'apollo'])

export const DATABASE_CONNECTIONS = 13
