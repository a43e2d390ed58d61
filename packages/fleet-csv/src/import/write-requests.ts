import { type Api, codeOf } from '../api.ts'
import { runConcurrently } from '../concurrency.ts'
import { nestAttributes } from '../csv/device-row.ts'
import { batches, jsonBytes } from './batches.ts'
import { changesOf, portRemovals, registration } from './device-mutations.ts'
import { findKnownDevices } from './find-known-devices.ts'
import { type Creation, makePlan, type Plan, type Update } from './match-devices.ts'
import { type MutationField, mutationDocument } from './mutation-document.ts'
import type { Outcome } from './outcome.ts'
import { rejectionReason } from './rejection-reason.ts'
import type { WantedDevice } from './validate-row.ts'

/** Maximum number of documents in flight: fewer than the 10 statements per account that a process runs by default. */
const CONCURRENCY = 8
/** The API allows at most this many aliases of one field in a selection. */
const REGISTRATIONS = 15
/** Maximum number of changes per document, which keeps documents well below the API's limit of 2,000 tokens. */
const CHANGES = 10
const ATTRIBUTE_ITEMS = 100
/** Maximum number of small updates per document. A small update has at most two changes. */
const SMALL_UPDATES = CHANGES / 2

export interface WriteContext {
  api: Api
  outcome: Outcome
  /** Runs after each batch of rows, and after each row that belongs to no batch. */
  progress: () => void
  /** After the signal aborts, the import starts no more rows, but completes the rows that it has started. */
  signal: AbortSignal
}

/**
 * Writes a plan without a bulk job. Records rejected rows in the outcome's problems. Throws errors that would affect
 * every row.
 */
export async function writeRequests(context: WriteContext, plan: Pick<Plan, 'creations' | 'updates'>): Promise<void> {
  const creations = Object.groupBy(plan.creations, (creation) => (isPlain(creation) ? 'batched' : 'alone'))
  const ofRow = ({ wanted }: Creation): number => jsonBytes(wanted.services) + attributeBytes(wanted)
  await run(context, batches(creations.batched ?? [], REGISTRATIONS, ofRow), createBatch)
  await run(context, creations.alone ?? [], createAlone)

  const updates = Object.groupBy(plan.updates, batchingOf)
  const ofUpdate = ({ difference }: Update): number => attributeBytes(difference)
  await run(context, batches(updates.attributes ?? [], ATTRIBUTE_ITEMS, ofUpdate), setAttributesOfBatch)
  await run(context, batches(updates.small ?? [], SMALL_UPDATES, ofUpdate), updateBatch)
  await run(context, updates.alone ?? [], updateAlone)
}

/**
 * Returns how to send an update. Updates that add services are sent alone, because repeating them after a rejected
 * batch would add the services twice.
 */
function batchingOf({ device, difference }: Update): 'attributes' | 'small' | 'alone' {
  const { fields, addServices, updateServices } = difference
  if (Object.keys(fields).length + addServices.length + updateServices.length === 0) return 'attributes'
  return addServices.length === 0 && changesOf(device.id, difference).length <= 2 ? 'small' : 'alone'
}

async function run<Item>(
  context: WriteContext,
  items: Iterable<Item>,
  work: (context: WriteContext, item: Item) => Promise<void>,
): Promise<void> {
  await runConcurrently(items, CONCURRENCY, async (item) => {
    if (context.signal.aborted) return
    await work(context, item)
    context.progress()
  })
}

/** Returns whether one request can create the device and the import can find it if the response is lost. */
const isPlain = ({ wanted, findable }: Creation): boolean => findable && !wanted.hasPortlessService

const attributeBytes = ({ attributes }: { attributes: ReadonlyMap<string, string> }): number =>
  jsonBytes([...attributes])

async function createBatch(context: WriteContext, creations: Creation[]): Promise<void> {
  try {
    const registrations = creations.map(({ wanted }) => registration(wanted))
    await mutate(context, registrations)
    context.outcome.created += creations.length
  } catch (error) {
    if (affectsEveryRow(error) && !isOutcomeUnknown(error)) throw error
    await createMissing(context, creations)
  }
}

/**
 * Completes a batch whose request failed. Updates the devices that exist, if they differ from their rows. Creates the
 * other devices one at a time. If the server rejects one field of a document, the results of all fields are lost,
 * although earlier fields took effect.
 */
async function createMissing(context: WriteContext, creations: Creation[]): Promise<void> {
  const rows = creations.map(({ wanted }) => wanted)
  const now = makePlan(rows, await findKnownDevices(context.api, rows))
  context.outcome.created += now.unchanged.length
  for (const { wanted } of now.creations) await createAlone(context, { wanted, findable: true })
  for (const update of now.updates) await updateAlone(context, update)
  context.outcome.problems.push(...now.problems)
}

async function createAlone(context: WriteContext, { wanted }: Creation): Promise<void> {
  await forRow(context, wanted, async () => {
    // Add services without a port separately: the server gives them the default port of their type, and `change` then
    // removes it.
    const [services, addServices] = wanted.hasPortlessService
      ? [wanted.services.filter(({ port }) => port !== null), wanted.services.filter(({ port }) => port === null)]
      : [wanted.services, []]
    const data = await mutate(context, [registration({ ...wanted, services })])
    const { device } = data.m0 as { device: { id: string } }
    await change(context, changesOf(device.id, { addServices }))
    context.outcome.created++
  })
}

async function setAttributesOfBatch(context: WriteContext, updates: Update[]): Promise<void> {
  const items = updates.map(({ device, difference }) => ({
    serviceId: device.id,
    attributes: nestAttributes(difference.attributes),
  }))
  const { setAttributesMany: results } = await context.api.query<{ setAttributesMany: AttributesResult[] }>(
    'mutation Import($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code message } }',
    { items },
  )
  updates.forEach(({ wanted: { line } }, index) => {
    const { code, message } = results[index] as AttributesResult
    if (code === null) context.outcome.updated++
    else context.outcome.problems.push({ line, reason: rejectionReason(message ?? code) })
  })
}

interface AttributesResult {
  code: string | null
  message: string | null
}

async function updateBatch(context: WriteContext, updates: Update[]): Promise<void> {
  try {
    const changes = updates.flatMap(({ device, difference }) => changesOf(device.id, difference))
    await mutate(context, changes)
    context.outcome.updated += updates.length
  } catch (error) {
    if (affectsEveryRow(error) && !isOutcomeUnknown(error)) throw error
    for (const update of updates) await updateAlone(context, update)
  }
}

async function updateAlone(context: WriteContext, { wanted, device, difference }: Update): Promise<void> {
  await forRow(context, wanted, async () => {
    await change(context, changesOf(device.id, difference))
    context.outcome.updated++
  })
}

/**
 * Sends up to `CHANGES` changes per document. Throws if one is rejected. After the row is corrected, the next import
 * makes the missing changes.
 */
async function change(context: WriteContext, changes: MutationField[]): Promise<void> {
  for (let at = 0; at < changes.length; at += CHANGES) {
    const fields = changes.slice(at, at + CHANGES)
    const removals = portRemovals(fields, await mutate(context, fields))
    if (removals.length > 0) await mutate(context, removals)
  }
}

async function mutate({ api }: WriteContext, fields: MutationField[]): Promise<Record<string, unknown>> {
  const { document, variables } = mutationDocument(fields)
  return api.query(document, variables)
}

async function forRow({ outcome }: WriteContext, { line }: WantedDevice, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (affectsEveryRow(error)) throw error
    outcome.problems.push({ line, reason: rejectionReason((error as Error).message) })
  }
}

const codesOfRows: ReadonlySet<string | undefined> = new Set([
  'BAD_USER_INPUT',
  'RESERVED_ATTRIBUTE',
  'NOT_FOUND',
  'CONFLICT',
  'LIMIT_EXCEEDED',
  'QUERY_TOO_COMPLEX',
  'INTERNAL',
])

/** Returns whether an error would affect every row, such as an unreachable server or missing permissions. */
const affectsEveryRow = (error: unknown): boolean => !codesOfRows.has(codeOf(error))

/** Returns whether the request may have taken effect although the API did not confirm it. */
const isOutcomeUnknown = (error: unknown): boolean => ['NO_ANSWER', 'OUTCOME_UNKNOWN'].includes(codeOf(error) ?? '')
