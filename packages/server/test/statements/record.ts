import pg from 'pg'
import type { Database } from '../../src/db/database.ts'

/** Statements, by their text, with the functions that sent them, such as `selectKeys of auth/auth.queries.ts`. */
export type Statements = ReadonlyMap<string, ReadonlySet<string>>

export interface Recording {
  statements: Statements
  stop(): void
}

/**
 * Records every statement that this process sends to PostgreSQL. The sending function is known for statements through
 * Kysely, which is called synchronously. The others have no sender.
 */
export function recordStatements(db: Database): Recording {
  const statements = new Map<string, Set<string>>()
  const record = (text: string, sender?: string): void => {
    const senders = statements.get(text) ?? new Set()
    if (sender !== undefined) senders.add(sender)
    statements.set(text, senders)
  }
  const restoreKysely = wrap(ownerOf(db.getExecutor(), 'executeQuery'), 'executeQuery', (compiled) =>
    record((compiled as { sql: string }).sql, senderIn(currentStack())),
  )
  const restoreClient = wrap(pg.Client.prototype, 'query', (first) => {
    const text = typeof first === 'string' ? first : (first as { text?: unknown }).text
    if (typeof text === 'string') record(text)
  })
  return {
    statements,
    stop() {
      restoreKysely()
      restoreClient()
    },
  }
}

/** Calls `before` with the first argument of each call. Returns a function that restores the method. */
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

/** The prototype that has a method. All executors share it, including those of transactions. */
function ownerOf(object: object, method: string): object {
  for (let owner: object | null = object; owner !== null; owner = Object.getPrototypeOf(owner))
    if (Object.hasOwn(owner, method)) return owner
  throw new Error(`no method ${method}`)
}

function currentStack(): string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 50
  const { stack = '' } = new Error()
  Error.stackTraceLimit = limit
  return stack
}

const frame = /at (?:async )?(?:[\w$]+\.)*([\w$]+) (?:\[as [\w$]+\] )?\(.*\/packages\/server\/src\/(.+?\.ts)[:?]/

/** The outermost function in the nearest query file of the stack, or else the nearest function of the server. */
function senderIn(stack: string): string | undefined {
  const calls = stack.split('\n').flatMap((line) => {
    const [, name, file] = frame.exec(line) ?? []
    return name === undefined || file === undefined || file === 'db/database.ts' ? [] : [{ name, file }]
  })
  const nearest = calls.find(({ file }) => file.endsWith('.queries.ts'))
  const sender = calls.findLast(({ file }) => file === nearest?.file) ?? calls[0]
  return sender && `${sender.name} of ${sender.file}`
}
