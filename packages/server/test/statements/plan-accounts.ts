import { CompiledQuery } from 'kysely'
import type { Database } from '../../src/db/database.ts'

/**
 * The accounts whose rows a statement can reach. `one`: an account in a parameter. `given`: the accounts in input rows.
 * `any`: any account. `none`: the statement uses no tables whose rows belong to accounts.
 */
export type AccountScope = 'one' | 'given' | 'any' | 'none'

export interface AccountTable {
  name: string
  column: string
}

export interface PlanNode {
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
 * Returns a statement's generic plan with only nested loops, in which each condition on an account is at the node that
 * reads the rows.
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

/** Returns every table and partition whose rows belong to an account, keyed by name. */
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

export function accountScopeOf(root: PlanNode, tables: ReadonlyMap<string, AccountTable>): AccountScope {
  const nodes = withDescendants(root)
  const isRead = new Set<string>()
  for (const { Alias: alias = '', 'Relation Name': name = '', 'Node Type': type } of nodes) {
    const table = tables.get(name)
    if (table !== undefined && type !== 'ModifyTable') isRead.add(`${alias}.${table.column}`)
  }
  const written = nodes
    .filter((node) => node.Operation === 'Insert' && tables.has(node['Relation Name'] ?? ''))
    // The account is the first column of every table whose rows belong to accounts.
    .map((node) => withoutCast(node.Plans!.find((plan) => plan['Parent Relationship'] === 'Outer')!.Output![0]!))
  if (isRead.size === 0 && written.length === 0) return 'none'

  const equalities = nodes.flatMap((node) => conditionsOf.flatMap((kind) => equalitiesIn(node[kind])))
  const inputs = inputsAmong(nodes)
  const kinds = [...isRead, ...written].map((column) => kindOf(column, { equalities, isRead, inputs }))
  if (kinds.includes('any')) return 'any'
  return kinds.includes('given') ? 'given' : 'one'
}

export function withDescendants(root: PlanNode): PlanNode[] {
  const nodes = [root]
  for (const node of nodes) nodes.push(...(node.Plans ?? []))
  return nodes
}

/** Returns the aliases of input rows, including the aliases of CTEs and subqueries that pass on input rows. */
function inputsAmong(nodes: readonly PlanNode[]): Set<string> {
  const isGiven = (node: PlanNode): boolean => /^(Function|Table Function|Values) Scan$/.test(node['Node Type'])
  const parts = new Set(
    nodes
      .filter((node) => node['Subplan Name']?.startsWith('CTE ') && withDescendants(node).some(isGiven))
      .map((node) => node['Subplan Name']!.slice('CTE '.length)),
  )
  return new Set(
    nodes
      .filter(
        (node) =>
          isGiven(node) ||
          parts.has(node['CTE Name'] ?? '') ||
          (node['Node Type'] === 'Subquery Scan' && withDescendants(node).some(isGiven)),
      )
      .map(({ Alias: alias = '' }) => alias),
  )
}

interface Known {
  equalities: readonly [string, string][]
  isRead: ReadonlySet<string>
  inputs: ReadonlySet<string>
}

/** Determines the scope of a column by following equalities to a parameter or to input rows. */
function kindOf(start: string, { equalities, isRead, inputs }: Known): Exclude<AccountScope, 'none'> {
  const same = [start]
  for (const one of same) {
    for (const pair of equalities) {
      const other = pair[0] === one ? pair[1] : pair[1] === one ? pair[0] : undefined
      if (other !== undefined && !same.includes(other)) same.push(other)
    }
  }
  if (same.some(isFixed)) return 'one'
  const sources = same.filter((each) => !isRead.has(each)).flatMap((each) => column.exec(each)?.[1] ?? [])
  if (sources.length === 0) return 'any'
  return sources.some((source) => inputs.has(source.replaceAll('"', ''))) ? 'given' : 'one'
}

/** Matches a column with its table alias. */
const column = /^(\w+|"[^"]+")\.(?:\w+|"[^"]+")$/

const isFixed = (text: string): boolean => /^\$\d+$/.test(text) || text.startsWith("'")

/** Returns the equalities that a condition requires, without those under OR or NOT. */
function equalitiesIn(condition: unknown): [string, string][] {
  if (typeof condition !== 'string') return []
  return conjuncts(condition).flatMap((text): [string, string][] => {
    const sides = splitAtTop(text, ' = ').map(withoutCast)
    return sides.length === 2 ? [[sides[0]!, sides[1]!]] : []
  })
}

const withoutCast = (text: string): string => text.replace(/^\((.+)\)::text$/, '$1').replace(/::text$/, '')

function conjuncts(condition: string): string[] {
  const text = withoutParentheses(condition)
  const parts = splitAtTop(text, ' AND ')
  return parts.length === 1 ? [text] : parts.flatMap(conjuncts)
}

function withoutParentheses(text: string): string {
  if (!text.startsWith('(') || closingOf(text) !== text.length - 1) return text
  return withoutParentheses(text.slice(1, -1))
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
