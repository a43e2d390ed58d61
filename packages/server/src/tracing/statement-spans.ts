import type { PoolWatch } from '../db/database.ts'
import { inSpan, type SpanAttributes, type Tracing } from './spans.ts'

const MAX_DESCRIPTIONS = 2_000

/**
 * Creates a span for each statement that runs within another span. Other statements have no span, because those that
 * the server repeats in the background would far outnumber the rest. The span omits the SQL, which may contain
 * attribute names. `muster.statement` is the name in pg_prepared_statements.
 */
export function traceStatements(tracing: Tracing): NonNullable<PoolWatch['statement']> {
  const described = new Map<string, Description>()
  const describe = (text: string): Description => {
    let description = described.get(text)
    if (description === undefined) {
      description = describeStatement(text)
      if (described.size < MAX_DESCRIPTIONS) described.set(text, description)
    }
    return description
  }
  return (text, name, run) => {
    if (!tracing.hasActiveSpan()) return run()
    const { title, attributes } = describe(text)
    return inSpan(tracing, title, {
      kind: 'client',
      attributes: name === undefined ? attributes : { ...attributes, 'muster.statement': name },
      work: async () => run(),
    })
  }
}

interface Description {
  title: string
  attributes: SpanAttributes
}

const writes =
  /\b(insert)\s+into\s+"?([a-z_]+)|\b(update)\s+(?!of\b)"?([a-z_]+)"?(?=.*?\sset\s)|\b(delete)\s+from\s+"?([a-z_]+)/is

/** Describes the first write of the statement. If there is none, describes the first table that the statement reads. */
function describeStatement(text: string): Description {
  const bare = text.replace(/^(?:\s*\/\*.*?\*\/)*\s*/s, '')
  const [first, second] = writes.exec(bare)?.slice(1).filter(Boolean) ?? []
  const word = /^\s*([a-z]+)/i.exec(bare)?.[1]?.toLowerCase() ?? 'statement'
  const operation = first?.toLowerCase() ?? (word === 'with' ? 'select' : word)
  const table = second ?? /\bfrom\s+(?:only\s+)?"?([a-z_]+)"?/i.exec(bare)?.[1]
  return {
    title: table === undefined ? operation : `${operation} ${table}`,
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.collection.name': table },
  }
}
