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

/** Documents under way at once: the server's pool has ten connections by default. */
const AT_ONCE = 8
/** Aliases of one field that the API takes in one document. */
const REGISTRATIONS = 15
/** Keeps a document of services well below the 2,000 tokens that the API takes. */
const CHANGES = 10
const ATTRIBUTE_ITEMS = 100
/** Rows of two changes at most. */
const SMALL_UPDATES = CHANGES / 2

export interface Writing {
  api: Api
  /** Counted up as rows are done. */
  outcome: Outcome
  /** Called after every document. */
  progress: () => void
  /** Once aborted, no further document is sent; those under way are waited for. */
  signal: AbortSignal
}

/** Carries a plan out. Refused rows end up in the outcome's problems; what ends the import as a whole is thrown. */
export async function writePlan(writing: Writing, plan: Plan): Promise<void> {
  const creations = Object.groupBy(plan.creations, (creation) => (isPlain(creation) ? 'batched' : 'alone'))
  const ofRow = ({ wanted }: Creation): number => jsonBytes(wanted.services) + attributeBytes(wanted)
  await run(writing, batches(creations.batched ?? [], REGISTRATIONS, ofRow), createBatch)
  await run(writing, creations.alone ?? [], createAlone)

  const updates = Object.groupBy(plan.updates, wayOf)
  const ofUpdate = ({ difference }: Update): number => attributeBytes(difference)
  await run(writing, batches(updates.attributes ?? [], ATTRIBUTE_ITEMS, ofUpdate), setAttributesOfBatch)
  await run(writing, batches(updates.small ?? [], SMALL_UPDATES, ofUpdate), updateBatch)
  await run(writing, updates.alone ?? [], updateAlone)
}

/** How an update is sent: small ones together where sending them twice, should one be refused, does no harm. */
function wayOf({ device, difference }: Update): 'attributes' | 'small' | 'alone' {
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

/** Can be looked up should the answer get lost, and says all that there is to say of the device. */
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
    if (endsImport(error) && !isUnanswered(error)) throw error
    await createWhatIsMissing(writing, creations)
  }
}

/** One refused field takes the results of all with it, though those before it took effect: see what there is, add the rest. */
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
    // Services without a port need more than a registration can say.
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
    if (endsImport(error) && !isUnanswered(error)) throw error
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

/** Whether an error says that no other row would fare better: no server, no rights. */
const endsImport = (error: unknown): boolean => !codesOfRows.has(codeOf(error))

/** Whether what was sent may have taken effect. */
const isUnanswered = (error: unknown): boolean => ['NO_ANSWER', 'OUTCOME_UNKNOWN'].includes(codeOf(error) ?? '')
