import pg from 'pg'
import type { Database } from '../../src/db/database.ts'

/** Statements by their text, each with the functions that sent it, such as `selectKeys of auth/auth.queries.ts`. */
export type Statements = ReadonlyMap<string, ReadonlySet<string>>

export interface Recording {
  statements: Statements
  stop(): void
}

/**
 * Notes every statement that this process sends to PostgreSQL, whatever sends it. Which function did is known of those that
 * come through Kysely, which is called in the same breath; the others have none.
 */
export function recordStatements(db: Database): Recording {
  const statements = new Map<string, Set<string>>()
  const note = (text: string, sender?: string): void => {
    const senders = statements.get(text) ?? new Set()
    if (sender !== undefined) senders.add(sender)
    statements.set(text, senders)
  }
  const restoreKysely = wrap(ownerOf(db.getExecutor(), 'executeQuery'), 'executeQuery', (compiled) =>
    note((compiled as { sql: string }).sql, senderIn(stackHere())),
  )
  const restoreClient = wrap(pg.Client.prototype, 'query', (asked) => {
    const text = typeof asked === 'string' ? asked : (asked as { text?: unknown }).text
    if (typeof text === 'string') note(text)
  })
  return {
    statements,
    stop() {
      restoreKysely()
      restoreClient()
    },
  }
}

/** Calls `before` with the first argument of each call. Returns what undoes it. */
function wrap(owner: object, name: string, before: (first: unknown) => void): () => void {
  const methods = owner as Record<string, (...args: unknown[]) => unknown>
  const original = methods[name]!
  methods[name] = function (this: unknown, ...args) {
    before(args[0])
    return original.apply(this, args)
  }
  return () => {
    methods[name] = original
  }
}

/** What all executors inherit from, those of transactions too. */
function ownerOf(object: object, method: string): object {
  for (let owner: object | null = object; owner !== null; owner = Object.getPrototypeOf(owner))
    if (Object.hasOwn(owner, method)) return owner
  throw new Error(`no ${method}`)
}

function stackHere(): string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 50
  const { stack = '' } = new Error()
  Error.stackTraceLimit = limit
  return stack
}

const frame = /at (?:async )?(?:[\w$]+\.)*([\w$]+) (?:\[as [\w$]+\] )?\(.*\/packages\/server\/src\/(.+?\.ts)[:?]/

/** The outermost function of the file of queries that is nearest; the nearest function of the server where there is none. */
function senderIn(stack: string): string | undefined {
  const calls = stack.split('\n').flatMap((line) => {
    const [, name, file] = frame.exec(line) ?? []
    return name === undefined || file === undefined || file === 'db/database.ts' ? [] : [{ name, file }]
  })
  const nearest = calls.find(({ file }) => file.endsWith('.queries.ts'))
  const sender = calls.findLast(({ file }) => file === nearest?.file) ?? calls[0]
  return sender && `${sender.name} of ${sender.file}`
}
