import { completionsAt } from '@muster/filter'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { ApiError } from '../../../src/errors.ts'
import { type FilterPlace, readFilter } from '../../../src/features/filters/read-filter.ts'
import { filterCondition } from '../../../src/features/filters/sql/conditions.ts'
import { eventCondition } from '../../../src/features/filters/sql/event-conditions.ts'
import { noTables } from '../../../src/features/filters/sql/filter-scope.ts'
import { createUserWithDevices } from '../../api/device-lists.ts'
import { sharedTestApp, type TestUser } from '../../harness/app.ts'
import { findProblem } from '../harmless.ts'
import { createRandom, type Random } from '../random.ts'
import { longTimeout, report, scale } from '../scale.ts'
import { prepareBody } from '../signed-body.ts'
import { guideFilters, hostileFilter } from './hostile-filters.ts'

const MAX_MS = 50

const app = sharedTestApp({ env: { MUSTER_KEY_POINTS: '1000000000', MUSTER_KEY_POINTS_PER_SECOND: '1000000000' } })
let user: TestUser
beforeAll(async () => {
  const created = await createUserWithDevices(app, [
    {
      name: 'gate',
      attributes: { site: 'oslo', net: { ssid: 'lab' }, firmware: '2.10.1', load: '0.5' },
      platform: 'linux',
    },
    { name: 'Σίσυφος', attributes: { site: '2026-11-20', rack: '010' }, overrides: { night: { site: 'x' } } },
    { name: '50%_\\', state: 'active', lastReported: new Date() },
  ])
  user = created.user
  await user.data('mutation { registerDevice(name: "web", services: [{ name: "ssh", port: 22 }]) { secret } }')
})

const fields: readonly { kind: FilterPlace['kind']; document: string }[] = [
  { kind: 'device', document: 'devices(where: $where, size: 5) { items { id } total }' },
  { kind: 'device', document: 'devices(where: $where, context: "night", sortBy: ["-site", "name"]) { items { id } }' },
  { kind: 'device', document: 'facets(by: ["site", "services.port"], where: $where) { total }' },
  { kind: 'device', document: 'deviceTotals(where: $where, context: "night") { total }' },
  { kind: 'service', document: 'services(where: $where) { items { id } total }' },
  { kind: 'event', document: 'events(where: $where) { items { id } total }' },
]

interface Sent {
  field: (typeof fields)[number]
  where: string
}

/**
 * Sends a filter to a field and to `checkFilter`, but stops at the first problem. Returns a description of the problem,
 * if any, and the text of the preceding responses.
 */
async function send({ field, where }: Sent, random: Random): Promise<{ text: string; problem: string | undefined }> {
  const kind = { device: 'DEVICES', service: 'SERVICES', event: 'EVENTS' }[field.kind]
  const cursor = random.below([...where].length + 1)
  const documents = [
    { query: `query ($where: String) { login { ${field.document} } }`, variables: { where } },
    {
      query: `query ($where: String!, $cursor: Int) { login { checkFilter(where: $where, kind: ${kind}, cursor: $cursor) {
        canonical points problems { suggestion } terms { name } completions { text } } } }`,
      variables: { where, cursor },
    },
  ]
  let received = ''
  for (const document of documents) {
    const response = await prepareBody(app, user, JSON.stringify(document))()
    const problem = findProblem(response)
    if (problem !== undefined) return { text: received, problem }
    received += response.text
  }
  return { text: received, problem: undefined }
}

/** Parses, resolves, and compiles a filter as the server does before it runs a statement. Also computes completions. */
function handle({ field: { kind }, where }: Sent): void {
  try {
    const read = readFilter(where, { kind, path: 'where' })
    // Skip filters with `view(…)`, because the server replaces views before it compiles a filter.
    if (read !== undefined && !read.canonical.includes('view(')) {
      const scope = { accountId: 'x', context: 'night', now: 0, tables: noTables() }
      const toSql = kind === 'event' ? eventCondition : filterCondition
      sql`select ${toSql(read.filter, scope)}`.compile(app.db)
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  completionsAt(where, where.length, kind)
}

/** Returns the CPU time of the fastest of up to three runs, because a run may include garbage collection. */
function cpuMs(sent: Sent): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && least > MAX_MS / 5; attempt++) {
    const before = process.threadCpuUsage()
    handle(sent)
    const { user: own, system } = process.threadCpuUsage(before)
    least = Math.min(least, (own + system) / 1_000)
  }
  return least
}

it('quickly rejects or evaluates every string sent as a filter, without an internal error', longTimeout, async () => {
  const random = createRandom(scale.seed)
  const wrong: string[] = []
  const figures = { filters: 0, accepted: 0, rejected: 0, longestFilterMs: 0 }
  let slowest = ''
  const examples = guideFilters.map((where, index) => ({ field: fields[index % fields.length]!, where }))
  while (figures.filters < scale.filters && wrong.length < 5) {
    const sent = examples[figures.filters] ?? { field: random.pick(fields), where: hostileFilter(random) }
    figures.filters++
    const { text, problem } = await send(sent, random)
    if (problem !== undefined) wrong.push(`${problem} for ${sent.field.document}: ${JSON.stringify(sent.where)}`)
    if (text.includes('"errors"')) figures.rejected++
    else figures.accepted++
    const milliseconds = cpuMs(sent)
    if (milliseconds > figures.longestFilterMs) {
      figures.longestFilterMs = milliseconds
      slowest = JSON.stringify(sent.where.slice(0, 200))
    }
  }
  report(figures)
  expect(wrong).toEqual([])
  expect(figures.longestFilterMs, slowest).toBeLessThan(MAX_MS)
  expect(figures.accepted).toBeGreaterThan(figures.filters / 50)
  expect(figures.rejected).toBeGreaterThan(figures.filters / 4)
})
