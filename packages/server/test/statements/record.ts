import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { insertsEvents } from './cluster-rules.ts'

/** The functions that sent each statement, such as `selectKeys of auth/auth.queries.ts`, keyed by statement. */
export type Statements = ReadonlyMap<string, ReadonlySet<string>>

export interface Recording {
  statements: Statements
  /** The statements that a connection prepared by name. */
  prepared: ReadonlySet<string>
  /** The statements that changed other rows after their transaction had inserted events. */
  afterEvents: ReadonlySet<string>
  stop(): void
}

export interface SentStatement {
  text: string
  sender: string | undefined
  parameters: readonly unknown[]
}

/**
 * Records all statements until `stop` is called. The sender is known only for statements that are sent through Kysely:
 * functions call Kysely synchronously, so they are on the stack.
 */
export function recordStatements(db: Database, onStatement: (sent: SentStatement) => void = () => {}): Recording {
  const statements = new Map<string, Set<string>>()
  const prepared = new Set<string>()
  const afterEvents = new Set<string>()
  /** The connections with a transaction, and whether the transaction has inserted events. */
  const transactions = new WeakMap<object, boolean>()
  const record = (text: string, sender?: string): void => {
    const senders = statements.get(text) ?? new Set()
    if (sender !== undefined) senders.add(sender)
    statements.set(text, senders)
  }
  const restoreKysely = wrap(ownerOf(db.getExecutor(), 'executeQuery'), 'executeQuery', (compiled) => {
    const { sql: text, parameters } = compiled as CompiledQuery
    const sender = senderIn(currentStack())
    record(text, sender)
    onStatement({ text, sender, parameters })
  })
  const restoreClient = wrap(pg.Client.prototype, 'query', (first, client) => {
    const { text, name } = typeof first === 'string' ? { text: first } : (first as { text?: unknown; name?: string })
    if (typeof text !== 'string') return
    record(text)
    if (name !== undefined) prepared.add(text)
    if (/^\s*(begin|start transaction)\b/i.test(text)) transactions.set(client, false)
    else if (/^\s*(commit|rollback)\b/i.test(text)) transactions.delete(client)
    else if (insertsEvents(text) && transactions.has(client)) transactions.set(client, true)
    else if (transactions.get(client) && changesRows.test(text)) afterEvents.add(text)
  })
  return {
    statements,
    prepared,
    afterEvents,
    stop() {
      restoreKysely()
      restoreClient()
    },
  }
}

const changesRows = /\b(insert into|update|delete from)\s/i

/** Makes a method call `before` first. Returns a function that restores the method. */
function wrap(owner: object, name: string, before: (first: unknown, object: object) => void): () => void {
  const methods = owner as Record<string, (...args: unknown[]) => unknown>
  const original = methods[name]!
  methods[name] = function (this: object, ...args) {
    before(args[0], this)
    return original.apply(this, args)
  }
  return () => {
    methods[name] = original
  }
}

/** Returns the prototype that defines the method. All executors share it, including those of transactions. */
function ownerOf(object: object, method: string): object {
  for (let owner: object | null = object; owner !== null; owner = Object.getPrototypeOf(owner))
    if (Object.hasOwn(owner, method)) return owner
  throw new Error(`the object has no method ${method}`)
}

function currentStack(): string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 50
  const { stack = '' } = new Error()
  Error.stackTraceLimit = limit
  return stack
}

const frame = /at (?:async )?(?:[\w$]+\.)*([\w$]+) (?:\[as [\w$]+\] )?\(.*\/packages\/server\/src\/(.+?\.ts)[:?]/

/**
 * Returns the outermost function in the stack's nearest query file. Without a query file, returns the server's nearest
 * function, or undefined if the stack contains none.
 */
function senderIn(stack: string): string | undefined {
  const calls = stack.split('\n').flatMap((line) => {
    const [, name, file] = frame.exec(line) ?? []
    return name === undefined || file === undefined || file === 'db/database.ts' ? [] : [{ name, file }]
  })
  const nearest = calls.find(({ file }) => file.endsWith('.queries.ts'))
  const sender = calls.findLast(({ file }) => file === nearest?.file) ?? calls[0]
  return sender && `${sender.name} of ${sender.file}`
}
