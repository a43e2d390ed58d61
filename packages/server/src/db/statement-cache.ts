import type { RawBuilder } from 'kysely'
import { boundedMap } from '../lib/bounded-map.ts'
import { type Database, query } from './database.ts'

/** Stands for a value while a statement is built. Each execution of the statement can use a different value. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

interface Statement {
  sql: string
  parameters: readonly unknown[]
}

export type RunCached<Row, Values> = (
  db: Database,
  shape: string,
  values: Values,
  build: (placeholders: Values) => RawBuilder<Row>,
) => Promise<Row[]>

/**
 * Returns a function that runs a statement and caches it under its `shape`. The cache contains at most `size`
 * statements. `shape` must determine the SQL and all parameters except `values`. `build` must use the placeholders only
 * as parameters.
 */
export function cacheStatements<Row, Values extends Readonly<Record<string, unknown>>>(
  size: number,
): RunCached<Row, Values> {
  const statements = boundedMap<string, Statement>(size)
  return (db, shape, values, build) => {
    let statement = statements.get(shape)
    if (statement === undefined) {
      const placeholders = Object.fromEntries(Object.keys(values).map((name) => [name, new Placeholder(name)]))
      statement = withSharedParameters(build(placeholders as unknown as Values).compile(db))
      statements.set(shape, statement)
    }
    const { sql, parameters } = statement
    return query<Row>(
      db,
      sql,
      parameters.map((each) => (each instanceof Placeholder ? values[each.name] : each)),
    )
  }
}

/**
 * Uses one parameter for all occurrences of a placeholder, because Citus substitutes every parameter at each execution.
 * The SQL must not contain a literal with `$` before a digit.
 */
function withSharedParameters({ sql, parameters }: Statement): Statement {
  const shared: unknown[] = []
  const numbers = parameters.map((each) => {
    const index = each instanceof Placeholder ? shared.indexOf(each) : -1
    return index < 0 ? shared.push(each) : index + 1
  })
  return { sql: sql.replace(/\$(\d+)/g, (_, number: string) => `$${numbers[Number(number) - 1]}`), parameters: shared }
}
