import type { RawBuilder } from 'kysely'
import { boundedMap } from '../lib/bounded-map.ts'
import { type Database, query } from './database.ts'

/** Takes the place of a value while a statement is built. The value can differ between executions of the statement. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

export type RunCached<Row, Values> = (
  db: Database,
  shape: string,
  values: Values,
  build: (placeholders: Values) => RawBuilder<Row>,
) => Promise<Row[]>

/**
 * Returns a function that caches a statement for each `shape`, at most `size` of them. `shape` must determine the SQL
 * and all parameters except `values`. `build` must use the placeholders only as parameters.
 */
export function cacheStatements<Row, Values extends Readonly<Record<string, unknown>>>(
  size: number,
): RunCached<Row, Values> {
  const statements = boundedMap<string, { sql: string; parameters: readonly unknown[] }>(size)
  return (db, shape, values, build) => {
    let statement = statements.get(shape)
    if (statement === undefined) {
      const placeholders = Object.fromEntries(Object.keys(values).map((name) => [name, new Placeholder(name)]))
      statement = build(placeholders as unknown as Values).compile(db)
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
