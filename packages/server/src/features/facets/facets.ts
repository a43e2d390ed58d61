import { type AttributeName, printName, type ResolvedFilter, splitAttributeName } from '@muster/filter'
import type { Context } from '../../context.ts'
import { walk } from '../../db/fair/user-database.ts'
import { assertAtMost, badInput } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { DeviceTotals, Facet, UserDeviceTotalsArgs, UserFacetsArgs } from '../../resolvers.generated.ts'
import { insideOf, namesOf } from '../../restriction.ts'
import { assertReadable } from '../attributes/attribute-access.ts'
import { parseAttributeName, parseContext, RESERVED_GROUP } from '../attributes/attribute-name.ts'
import { assertKnownNames, isGroupOnly } from '../filters/known-names.ts'
import { type ReadFilter, readFilter, unindexedTerms } from '../filters/read-filter.ts'
import { readSubject } from '../filters/read-subject.ts'
import { type ValueSubject, writeCountedValue } from '../filters/sql/value-source.ts'
import { listFreshness } from '../freshness/freshness.ts'
import { applyView } from '../views/apply-view.ts'
import { endOfInterval, type Interval } from './calendar-intervals.ts'
import { type Counted, countByValue, countTotals, type FacetQuery, type FacetRow } from './facets.queries.ts'

const MAX_SIZE = 100

export async function listFacets(context: Context, args: UserFacetsArgs): Promise<Facet[]> {
  const { by } = args
  assertAtMost(limits.facetNames, by.length, { path: 'the argument "by"', what: 'names' })
  const size = args.size ?? 20
  if (size < 1 || size > MAX_SIZE) throw badInput(`size must be from 1 to ${MAX_SIZE}, not ${size}`)
  const interval = (args.interval ?? 'DAY').toLowerCase() as Interval
  const { counted, reasons } = await readCounted(context, args)
  const subjects = await Promise.all(by.map((name, index) => readName(context, name, `by[${index}]`)))
  const query: FacetQuery = { ...counted, subjects, size, interval }
  const rows = await context.facetCache.get(keyOf(query), () =>
    count(context, reasons, (db) => countByValue(db, query)),
  )
  const all = rows.find(({ part }) => part === 'all')
  return by.map((name, place) => ({
    name,
    ...summarize(rows, { place, conditionOf: (value) => condition(name, subjects[place]!, { value, interval }) }),
    total: all?.devices ?? 0,
  }))
}

/** The key omits the time, so a request can receive the counts for the time of an earlier request. */
const keyOf = ({ accountId, filter, inside, context, subjects, size, interval }: FacetQuery): string =>
  JSON.stringify([accountId, filter, inside, context, subjects, size, interval])

export async function countDeviceTotals(context: Context, args: UserDeviceTotalsArgs): Promise<DeviceTotals> {
  const { counted, reasons } = await readCounted(context, args)
  const timed = (await listFreshness(context)).map(({ name }) => parseAttributeName(name, 'name'))
  const { active, ...totals } = await count(context, reasons, (db) => countTotals(db, { ...counted, timed }))
  return { ...totals, active, inactive: totals.total - active }
}

export async function countDevicesInside(context: Context, inside: ResolvedFilter | undefined): Promise<number> {
  const { accountId } = context.viewer
  const counted = { accountId, filter: undefined, inside, context: undefined, now: Date.now() }
  const reasons = ['a count of devices reads every matching device']
  return (await count(context, reasons, (db) => countTotals(db, { ...counted, timed: [] }))).total
}

type Counting<Result> = (db: Context['db']) => Promise<Result>

function count<Result>({ db, rowMeter }: Context, reasons: readonly string[], run: Counting<Result>): Promise<Result> {
  rowMeter.add(({ devices }) => devices)
  return walk(db, reasons, run)
}

async function readCounted(
  context: Context,
  args: UserDeviceTotalsArgs,
): Promise<{ counted: Counted; reasons: string[] }> {
  const where: ReadFilter | undefined =
    args.where == null
      ? undefined
      : readFilter(args.where, { kind: 'device', path: 'where', hasContext: args.context != null })
  if (where !== undefined) await assertKnownNames(context, where)
  const given = { where, viewId: args.view, inContext: parseContext(args.context, 'context') }
  const selection = await applyView(context, given, { kind: 'device' })
  const counted = {
    accountId: context.viewer.accountId,
    filter: selection.where?.filter,
    inside: insideOf(context.viewer),
    context: selection.context,
    now: Date.now(),
  }
  const reasons = ['facets and deviceTotals read every matching device']
  if (selection.where !== undefined && !selection.where.isIndexed) reasons.push(unindexedTerms(selection.where))
  return { counted, reasons }
}

/** Resolves a name in the same way as a filter, so that errors suggest the same names. */
async function readName(context: Context, name: string, path: string): Promise<ValueSubject> {
  const { subject, filter } = readSubject(name, path)
  await assertKnownNames(context, filter)
  if (subject.type === 'attribute') assertReadable(context.viewer, subject.name)
  if (subject.type === 'attribute' && (await isGroupOnly(context, subject.name))) {
    const example = subject.name[0] === RESERVED_GROUP ? 'statusA' : 'x'
    throw badInput(`${path}: ${JSON.stringify(name)} is a group: use a name in this group, such as ${name}.${example}`)
  }
  const readable = namesOf(context.viewer)
  return subject.type === 'field' && readable !== undefined ? { ...subject, readable } : subject
}

interface Summarizing {
  place: number
  conditionOf: (value: string) => string
}

function summarize(rows: readonly FacetRow[], { place, conditionOf }: Summarizing): Omit<Facet, 'name' | 'total'> {
  const own = rows.filter(({ facet, part }) => facet === place && part !== 'all')
  const of = (part: FacetRow['part']): FacetRow | undefined => own.find((row) => row.part === part)
  const missing = of('missing')
  const other = of('other')
  const buckets = own.filter(({ part }) => part === 'bucket')
  return {
    buckets: buckets.map(({ value, devices, active }) => ({
      value: value!,
      count: devices,
      active,
      where: conditionOf(value!),
    })),
    missing: missing?.devices ?? 0,
    missingActive: missing?.active ?? 0,
    other: other?.devices ?? 0,
    otherActive: other?.active ?? 0,
    distinct: own.reduce((sum, row) => sum + row.distinct, 0),
  }
}

function condition(
  name: string,
  subject: ValueSubject,
  { value, interval }: { value: string; interval: Interval },
): string {
  const printed = printName(splitAttributeName(name) as AttributeName)
  if (subject.type === 'field' && subject.valueType === 'time')
    return `${printed} >= ${value} AND ${printed} < ${endOfInterval(value, interval)}`
  if (subject.type === 'field' && ['number', 'application', 'boolean', 'state'].includes(subject.valueType))
    return `${printed} = ${value}`
  return `${printed} = ${writeCountedValue(value)}`
}
