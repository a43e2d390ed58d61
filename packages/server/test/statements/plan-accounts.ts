import { CompiledQuery } from 'kysely'
import type { Database } from '../../src/db/database.ts'

/**
 * How a statement is kept to accounts, by the plan that PostgreSQL makes of it: to `one`, that is a parameter; to `given` ones, which
 * rows that come with it name; or it is not, and reads or writes `any`. `none`: it touches no table of accounts.
 */
export type Keeping = 'one' | 'given' | 'any' | 'none'

export interface AccountTable {
  name: string
  /** That names the account. */
  column: string
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  Alias?: string
  Operation?: string
  Output?: string[]
  'CTE Name'?: string
  'Subplan Name'?: string
  Plans?: PlanNode[]
  [key: string]: unknown
}

const conditionsOf = ['Index Cond', 'Recheck Cond', 'Filter', 'Join Filter', 'Hash Cond', 'Merge Cond']

const planning = [
  ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'material', 'memoize'].map((name) => `enable_${name} = off`),
  'enable_partition_pruning = off',
  'plan_cache_mode = force_generic_plan',
]

/**
 * The plan of a statement for any values, along indexes and row by row: each condition on an account then stands where the rows
 * are read, and what can be derived from the others has been.
 */
export async function planOf(db: Database, text: string): Promise<PlanNode> {
  return db.connection().execute(async (connection) => {
    const run = <Row>(statement: string) => connection.executeQuery<Row>(CompiledQuery.raw(statement))
    await run(planning.map((setting) => `set ${setting}`).join('; '))
    await run(`prepare planned as ${text}`)
    try {
      const { rows: found } = await run<{ count: number }>(
        `select coalesce(array_length(parameter_types, 1), 0) as count from pg_prepared_statements where name = 'planned'`,
      )
      const values = Array.from({ length: found[0]!.count }, () => 'null').join(', ')
      const { rows } = await run<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (verbose, costs off, format json) execute planned${values && `(${values})`}`,
      )
      return rows[0]!['QUERY PLAN'][0].Plan
    } finally {
      await run('deallocate planned; reset all')
    }
  })
}

/** Every table whose rows belong to an account, by name, partitions among them. */
export async function accountTablesOf(db: Database): Promise<Map<string, AccountTable>> {
  const { rows } = await db.executeQuery<AccountTable>(
    CompiledQuery.raw(
      `select relname as name, case relname when 'account' then 'id' else 'account_id' end as column from pg_class
       where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
         and (relname = 'account' or exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'account_id'))`,
    ),
  )
  return new Map(rows.map((table) => [table.name, table]))
}

export function keepingOf(root: PlanNode, tables: ReadonlyMap<string, AccountTable>): Keeping {
  const nodes = withAllBelow(root)
  const isRead = new Set<string>()
  for (const { Alias: alias = '', 'Relation Name': name = '', 'Node Type': type } of nodes) {
    const table = tables.get(name)
    if (table !== undefined && type !== 'ModifyTable') isRead.add(`${alias}.${table.column}`)
  }
  const written = nodes
    .filter((node) => node.Operation === 'Insert' && tables.has(node['Relation Name'] ?? ''))
    // Of each of these tables the account is the first column.
    .map((node) => bare(node.Plans!.find((plan) => plan['Parent Relationship'] === 'Outer')!.Output![0]!))
  if (isRead.size === 0 && written.length === 0) return 'none'

  const equalities = nodes.flatMap((node) => conditionsOf.flatMap((kind) => equalitiesIn(node[kind])))
  const givers = giversAmong(nodes)
  const kinds = [...isRead, ...written].map((column) => kindOf(column, { equalities, isRead, givers }))
  if (kinds.includes('any')) return 'any'
  return kinds.includes('given') ? 'given' : 'one'
}

function withAllBelow(root: PlanNode): PlanNode[] {
  const nodes = [root]
  for (const node of nodes) nodes.push(...(node.Plans ?? []))
  return nodes
}

/** What rows that come with the statement are called, there and where they are handed on. */
function giversAmong(nodes: readonly PlanNode[]): Set<string> {
  const isGiven = (node: PlanNode): boolean => /^(Function|Table Function|Values) Scan$/.test(node['Node Type'])
  const parts = new Set(
    nodes
      .filter((node) => node['Subplan Name']?.startsWith('CTE ') && withAllBelow(node).some(isGiven))
      .map((node) => node['Subplan Name']!.slice('CTE '.length)),
  )
  return new Set(
    nodes
      .filter(
        (node) =>
          isGiven(node) ||
          parts.has(node['CTE Name'] ?? '') ||
          (node['Node Type'] === 'Subquery Scan' && withAllBelow(node).some(isGiven)),
      )
      .map(({ Alias: alias = '' }) => alias),
  )
}

interface Known {
  equalities: readonly [string, string][]
  isRead: ReadonlySet<string>
  givers: ReadonlySet<string>
}

/** Follows equalities until one leads to a parameter, or to rows that are no table's. */
function kindOf(start: string, { equalities, isRead, givers }: Known): Exclude<Keeping, 'none'> {
  const same = [start]
  for (const one of same) {
    for (const pair of equalities) {
      const other = pair[0] === one ? pair[1] : pair[1] === one ? pair[0] : undefined
      if (other !== undefined && !same.includes(other)) same.push(other)
    }
  }
  if (same.some(isFixed)) return 'one'
  const places = same.filter((each) => !isRead.has(each)).flatMap((each) => column.exec(each)?.[1] ?? [])
  if (places.length === 0) return 'any'
  return places.some((place) => givers.has(place.replaceAll('"', ''))) ? 'given' : 'one'
}

/** A column, with what it is of. */
const column = /^(\w+|"[^"]+")\.(?:\w+|"[^"]+")$/

const isFixed = (text: string): boolean => /^\$\d+$/.test(text) || text.startsWith("'")

/** The equalities that a condition demands, whatever else it does: those under an OR or a NOT are none. */
function equalitiesIn(condition: unknown): [string, string][] {
  if (typeof condition !== 'string') return []
  return conjuncts(condition).flatMap((text): [string, string][] => {
    const sides = splitAtTop(text, ' = ').map(bare)
    return sides.length === 2 ? [[sides[0]!, sides[1]!]] : []
  })
}

/** Without the cast that PostgreSQL writes out. */
const bare = (text: string): string => text.replace(/^\((.+)\)::text$/, '$1').replace(/::text$/, '')

function conjuncts(condition: string): string[] {
  const text = stripped(condition)
  const parts = splitAtTop(text, ' AND ')
  return parts.length === 1 ? [text] : parts.flatMap(conjuncts)
}

/** Without the parentheses around all of it. */
function stripped(text: string): string {
  if (!text.startsWith('(') || closingOf(text) !== text.length - 1) return text
  return stripped(text.slice(1, -1))
}

function closingOf(text: string): number {
  let depth = 0
  for (const [index, character] of eachOutsideQuotes(text)) {
    if (character === '(') depth++
    if (character === ')' && --depth === 0) return index
  }
  return -1
}

function splitAtTop(text: string, separator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (const [index, character] of eachOutsideQuotes(text)) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth === 0 && text.startsWith(separator, index)) {
      parts.push(text.slice(from, index))
      from = index + separator.length
    }
  }
  return [...parts, text.slice(from)]
}

function* eachOutsideQuotes(text: string): Generator<[number, string]> {
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    if (character === "'") isQuoted = !isQuoted
    else if (!isQuoted) yield [index, character]
  }
}
