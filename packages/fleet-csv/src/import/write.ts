import { type Api, codeOf } from '../api.ts'
import { runConcurrently } from '../concurrency.ts'
import { nestAttributes } from '../csv/device-row.ts'
import { batches, jsonBytes } from './batches.ts'
import { changesOf, portRemovals, registration } from './changes.ts'
import { findKnownDevices } from './find-devices.ts'
import { type MutationField, mutationDocument } from './mutation.ts'
import type { Outcome } from './outcome.ts'
import { type Creation, makePlan, type Plan, type Update } from './plan.ts'
import type { WantedDevice } from './wanted-device.ts'

/** Documents in flight. The server's pool has 10 connections by default. */
const AT_ONCE = 8
/** The API's limit of aliases of one field per document. */
const REGISTRATIONS = 15
/** Keeps a document of services well below the API's limit of 2,000 tokens. */
const CHANGES = 10
const ATTRIBUTE_ITEMS = 100
/** Rows with at most two changes. */
const SMALL_UPDATES = CHANGES / 2

export interface Writing {
  api: Api
  /** Updated as rows are done. */
  outcome: Outcome
  /** Called after every document. */
  progress: () => void
  /** After it aborts, no further document is sent. Documents in flight are awaited. */
  signal: AbortSignal
}

/** Carries a plan out. Refused rows end up in the outcome's problems; what ends the import as a whole is thrown. */
export async function writePlan(writing: Writing, plan: Plan): Promise<void> {
  const creations = Object.groupBy(plan.creations, (creation) => (isPlain(creation) ? 'batched' : 'alone'))
  const ofRow = ({ wanted }: Creation): number => jsonBytes(wanted.services) + attributeBytes(wanted)
  await run(writing, batches(creations.batched ?? [], REGISTRATIONS, ofRow), createBatch)
  await run(writing, creations.alone ?? [], createAlone)

  const updates = Object.groupBy(plan.updates, batchingOf)
  const ofUpdate = ({ difference }: Update): number => attributeBytes(difference)
  await run(writing, batches(updates.attributes ?? [], ATTRIBUTE_ITEMS, ofUpdate), setAttributesOfBatch)
  await run(writing, batches(updates.small ?? [], SMALL_UPDATES, ofUpdate), updateBatch)
  await run(writing, updates.alone ?? [], updateAlone)
}

/** How an update is sent. Small updates that are safe to send again are batched, because one may be rejected. */
function batchingOf({ device, difference }: Update): 'attributes' | 'small' | 'alone' {
  const { fields, addServices, updateServices } = difference
  if (Object.keys(fields).length + addServices.length + updateServices.length === 0) return 'attributes'
  return addServices.length === 0 && changesOf(device.id, difference).length <= 2 ? 'small' : 'alone'
}

async function run<Item>(
  writing: Writing,
  items: Iterable<Item>,
  work: (writing: Writing, item: Item) => Promise<void>,
): Promise<void> {
  await runConcurrently(items, AT_ONCE, async (item) => {
    if (writing.signal.aborted) return
    await work(writing, item)
    writing.progress()
  })
}

/** Whether a creation needs no second request, and can be found again if the response is lost. */
const isPlain = ({ wanted, findable }: Creation): boolean => findable && !wanted.hasPortlessService

const attributeBytes = ({ attributes }: { attributes: ReadonlyMap<string, string> }): number =>
  jsonBytes([...attributes])

async function createBatch(writing: Writing, creations: Creation[]): Promise<void> {
  try {
    await mutate(
      writing,
      creations.map(({ wanted }) => registration(wanted)),
    )
    writing.outcome.created += creations.length
  } catch (error) {
    if (endsImport(error) && !isOutcomeUnknown(error)) throw error
    await createWhatIsMissing(writing, creations)
  }
}

/** If one field is rejected, all results are lost although earlier fields took effect. So look up what exists and add the rest. */
async function createWhatIsMissing(writing: Writing, creations: Creation[]): Promise<void> {
  const rows = creations.map(({ wanted }) => wanted)
  const now = makePlan(rows, await findKnownDevices(writing.api, rows))
  writing.outcome.created += now.unchanged.length
  for (const { wanted } of now.creations) await createAlone(writing, { wanted, findable: true })
  for (const update of now.updates) await updateAlone(writing, update)
  writing.outcome.problems.push(...now.problems)
}

async function createAlone(writing: Writing, { wanted }: Creation): Promise<void> {
  await forRow(writing, wanted, async () => {
    // A registration cannot express services without the default port.
    const [services, addServices] = wanted.hasPortlessService
      ? [wanted.services.filter(({ port }) => port !== null), wanted.services.filter(({ port }) => port === null)]
      : [wanted.services, []]
    const data = await mutate(writing, [registration({ ...wanted, services })])
    const { device } = data.m0 as { device: { id: string } }
    await change(writing, changesOf(device.id, { addServices }))
    writing.outcome.created++
  })
}

async function setAttributesOfBatch(writing: Writing, updates: Update[]): Promise<void> {
  const items = updates.map(({ device, difference }) => ({
    serviceId: device.id,
    attributes: nestAttributes(difference.attributes),
  }))
  const { setAttributesMany: results } = await writing.api.query<{ setAttributesMany: AttributesResult[] }>(
    'mutation Import($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code message } }',
    { items },
  )
  updates.forEach(({ wanted: { line } }, index) => {
    const { code, message } = results[index] as AttributesResult
    if (code === null) writing.outcome.updated++
    else writing.outcome.problems.push({ line, reason: `${message} (${code})` })
  })
}

interface AttributesResult {
  code: string | null
  message: string | null
}

async function updateBatch(writing: Writing, updates: Update[]): Promise<void> {
  try {
    await mutate(
      writing,
      updates.flatMap(({ device, difference }) => changesOf(device.id, difference)),
    )
    writing.outcome.updated += updates.length
  } catch (error) {
    if (endsImport(error) && !isOutcomeUnknown(error)) throw error
    for (const update of updates) await updateAlone(writing, update)
  }
}

async function updateAlone(writing: Writing, { wanted, device, difference }: Update): Promise<void> {
  await forRow(writing, wanted, async () => {
    await change(writing, changesOf(device.id, difference))
    writing.outcome.updated++
  })
}

/** Several documents where there are many changes; the next run of the import finds what a refused one left undone. */
async function change(writing: Writing, changes: MutationField[]): Promise<void> {
  for (let at = 0; at < changes.length; at += CHANGES) {
    const fields = changes.slice(at, at + CHANGES)
    const removals = portRemovals(fields, await mutate(writing, fields))
    if (removals.length > 0) await mutate(writing, removals)
  }
}

async function mutate({ api }: Writing, fields: MutationField[]): Promise<Record<string, unknown>> {
  const { document, variables } = mutationDocument(fields)
  return api.query(document, variables)
}

async function forRow({ outcome }: Writing, { line }: WantedDevice, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (endsImport(error)) throw error
    outcome.problems.push({ line, reason: `${(error as Error).message} (${codeOf(error)})` })
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

/** Whether an error would affect every row, such as an unreachable server or missing permissions. */
const endsImport = (error: unknown): boolean => !codesOfRows.has(codeOf(error))

/** Whether the request may have taken effect although no response arrived. */
const isOutcomeUnknown = (error: unknown): boolean => ['NO_ANSWER', 'OUTCOME_UNKNOWN'].includes(codeOf(error) ?? '')
