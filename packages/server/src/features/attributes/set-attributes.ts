import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { ApiError, badInput, limitExceeded, notFound } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { bytesOfChanges } from '../../rate-limits/storage-quotas.ts'
import { insideOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { drawEventIds, type NewEvent, recordEvents } from '../events/record.ts'
import { assertMayChangeAttributes } from '../restrictions/assert-may-change.ts'
import { applyChanges, assertNoConflict, assertWithinLimits, type Changes } from './apply-changes.ts'
import { assertWritable, readableOnly } from './attribute-access.ts'
import { assertVisibleNames, joinAttributeName, parseContext } from './attribute-name.ts'
import { forgetAttributes } from './attributes.loaders.ts'
import { type Attributes, overlay } from './attributes.ts'
import { confirmValues, type UnchangedValue } from './confirm-values.ts'
import { lockTargets, type Place, parseTargetId, saveTargets } from './lock-and-save-targets.ts'
import { assertAllAllowed, type Change, flattenAttributes } from './parse-attributes.ts'
import { readUserAttributes } from './read-attributes.ts'
import { assertOnlySettings, isOwnSetting, withOwnSettings, writeOwnSettings } from './settings/own-settings.ts'
import { attributesIn, kindOnTarget, replaceAttributes, type Target, takeReplacedTimes } from './target.ts'

export interface AttributesInput {
  serviceId: string
  attributes: Record<string, unknown>
  context?: string | null | undefined
  /** The ID of the device that sends the write, if any. A device can change only itself and its services. */
  deviceId?: string | undefined
  /** Called with the number of bytes that the changes store, before they are applied. Can throw RATE_LIMITED. */
  charge?: ((bytes: number) => void) | undefined
}

export interface AttributesResult {
  serviceId: string
  attributes: Attributes | null
  code: string | null
  message: string | null
}

/** The server applies all changes or none. `path` locates the changes in error messages. */
export interface AttributeWrite extends Place, Pick<AttributesInput, 'deviceId' | 'charge'> {
  path: string
  changes: readonly Change[]
}

export async function setAttributes(context: Context, input: AttributesInput): Promise<Attributes> {
  return writeAttributes(context, parseInput(context, input, ''))
}

/**
 * Runs `setAttributes` for each item. An error in one item does not affect other items. One transaction applies the
 * items in order, except for changes to the signed-in person's settings, which follow the transaction.
 */
export async function setAttributesMany(
  context: Context,
  inputs: readonly AttributesInput[],
): Promise<AttributesResult[]> {
  if (inputs.length > limits.idsPerList)
    throw limitExceeded(`items accepts at most ${limits.idsPerList} items, found ${inputs.length}`)
  const writes = inputs.map((input, index) => attempt(() => parseInput(context, input, `items[${index}].`)))
  const outcomes = await writeMany(context, writes)
  return outcomes.map((outcome, index) => resultOf(inputs[index]!.serviceId, outcome))
}

/** Like `setAttributesMany`, but for device reports: the number of items is not limited, and no person is signed in. */
export async function setAttributesEach(
  context: WritingContext,
  inputs: readonly AttributesInput[],
): Promise<(Attributes | ApiError)[]> {
  const writes = inputs.map((input) => attempt(() => parseInput(context, input, '')))
  return writeInTransaction(context, writes)
}

/**
 * `context.db` must be a transaction. Throws the first error, and the caller must then roll back all changes. `path`
 * precedes `attributes` in error messages.
 */
export async function setAttributesTogether(
  context: Pick<Context, 'db' | 'viewer'>,
  inputs: readonly (AttributesInput & { path: string })[],
): Promise<void> {
  const writes = inputs.map((input) => parseInput(context, input, input.path))
  const outcomes = await writeManyIn(context.db, context, writes)
  const failure = outcomes.find((outcome) => outcome instanceof ApiError)
  if (failure !== undefined) throw failure
}

function resultOf(serviceId: string, outcome: Attributes | ApiError): AttributesResult {
  return outcome instanceof ApiError
    ? { serviceId, attributes: null, code: outcome.code, message: outcome.message }
    : { serviceId, attributes: outcome, code: null, message: null }
}

function parseInput({ viewer }: Pick<Context, 'viewer'>, input: AttributesInput, path: string): AttributeWrite {
  const changes = flattenAttributes(input.attributes, `${path}attributes`)
  if (changes.length === 0) throw badInput(`${path}attributes must not be an empty object: pass at least one attribute`)
  const context = parseContext(input.context, `${path}context`)
  assertVisibleNames(changes, { context, path: `${path}attributes`, contextPath: `${path}context` })
  const targetId = getTargetId(viewer.accountId, input.serviceId)
  assertOnlySettings(viewer, { targetId, context }, { changes, path: `${path}attributes` })
  return { targetId, context, path: `${path}attributes`, changes, deviceId: input.deviceId, charge: input.charge }
}

export function getTargetId(accountId: string, serviceId: string): string {
  const id = parseTargetId(accountId, serviceId)
  if (id === undefined) throw targetNotFound(serviceId)
  return id
}

const targetNotFound = (id: string): ApiError => notFound('user, device, or service', id)

export async function writeAttributes(context: Context, write: AttributeWrite): Promise<Attributes> {
  const [outcome] = await writeMany(context, [write])
  if (outcome instanceof ApiError) throw outcome
  return outcome!
}

/**
 * The transaction checks all rules while the rows are locked, before it writes anything, so a write that violates a
 * rule needs no rollback. Writes of the signed-in person's settings follow the transaction.
 */
async function writeMany(
  context: Context,
  writes: readonly (AttributeWrite | ApiError)[],
): Promise<(Attributes | ApiError)[]> {
  const ofSettings = (write: AttributeWrite | ApiError): write is AttributeWrite =>
    !(write instanceof ApiError) && isOwnSetting(context.viewer, write, write.changes[0]!)
  const others = writes.filter((write) => !ofSettings(write))
  const written = others.length === 0 ? [] : await writeInTransaction(context, others)
  forgetAttributes(context)
  const outcomes: (Attributes | ApiError)[] = []
  for (const write of writes)
    outcomes.push(
      ofSettings(write) ? await writeSettings(context, write) : await withSettings(context, write, written.shift()!),
    )
  return outcomes
}

type WritingContext = Pick<Context, 'db' | 'viewer' | 'chooseWorker'>

/** On a cluster, the account's worker runs the transaction if it is available, which takes less CPU time. */
async function writeInTransaction(
  context: WritingContext,
  writes: readonly (AttributeWrite | ApiError)[],
): Promise<(Attributes | ApiError)[]> {
  const { db } = context
  const worker = await context.chooseWorker?.()
  if (worker === undefined) return db.transaction().execute((transaction) => writeManyIn(transaction, context, writes))
  let isDrawing = false
  const number = async (events: readonly NewEvent[]): Promise<NewEvent[]> => {
    isDrawing = true
    const { ids } = await drawEventIds(worker.eventIds, events.length)
    isDrawing = false
    return events.map((event, index) => ({ ...event, id: ids[index]! }))
  }
  try {
    return await worker.db.transaction().execute((transaction) => writeManyIn(transaction, context, writes, number))
  } catch (error) {
    if (!isDrawing) worker.failed(error)
    throw error
  }
}

async function withSettings(
  context: Context,
  write: AttributeWrite | ApiError,
  outcome: Attributes | ApiError,
): Promise<Attributes | ApiError> {
  if (write instanceof ApiError || outcome instanceof ApiError) return outcome
  return write.targetId === context.viewer.accountId ? withOwnSettings(context, outcome) : outcome
}

/** Does not lock the account, because the person's row stores the settings. */
async function writeSettings(context: Context, { changes, path }: AttributeWrite): Promise<Attributes | ApiError> {
  try {
    await writeOwnSettings(context, changes, path)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  forgetAttributes(context)
  return readUserAttributes(context)
}

async function writeManyIn(
  transaction: Database,
  context: Pick<Context, 'viewer'>,
  writes: readonly (AttributeWrite | ApiError)[],
  number = async (events: readonly NewEvent[]) => events,
): Promise<(Attributes | ApiError)[]> {
  const { accountId } = context.viewer
  const places = writes.filter((write): write is AttributeWrite => !(write instanceof ApiError))
  const targets = await lockTargets(transaction, accountId, { places, inside: insideOf(context.viewer) })
  const events: NewEvent[] = []
  const unchanged: UnchangedValue[] = []
  const outcomes = writes.map((write) =>
    write instanceof ApiError
      ? write
      : attempt(() => writeOne(context.viewer, targets.get(write.targetId), { write, events, unchanged })),
  )
  await confirmValues(transaction, accountId, unchanged)
  await saveTargets(transaction, accountId, targets.values())
  if (events.length > 0) await recordEvents(transaction, context, await number(events))
  return outcomes
}

function writeOne(
  viewer: Viewer,
  target: Target | undefined,
  { write, events, unchanged }: { write: AttributeWrite; events: NewEvent[]; unchanged: UnchangedValue[] },
): Attributes {
  if (target === undefined) throw targetNotFound(write.targetId)
  if (write.deviceId !== undefined && target.device?.id !== write.deviceId) throw targetNotFound(write.targetId)
  const { context } = write
  const names = write.changes.map(({ name }) => name)
  if (names.length > 0) assertMayChangeAttributes(viewer, { kind: target.kind, context, names })
  for (const { name, value } of write.changes) {
    const isGroup = name.length === 1 && value === null && kindOnTarget(target, name[0]) === 'group'
    assertWritable(viewer, { name, isGroup })
  }
  const changes = applyWrite(target, write)
  if (Object.keys(changes).length > 0) events.push(changeEvent(target, context, changes))
  for (const { name, value } of write.changes) {
    const text = joinAttributeName(name)
    if (value !== null && !Object.hasOwn(changes, text)) unchanged.push({ target, context, name: text })
  }
  const after = context === undefined ? target.base : overlay(target.base, target.overrides.get(context))
  return readableOnly(viewer, after)
}

/** Applies the write to the target in memory, and returns the changes. Throws if the write violates a rule. */
export function applyWrite(target: Target, write: AttributeWrite): Changes {
  assertAllAllowed(write.changes, target.kind, write.path)
  assertNoConflict(write.changes, (name) => kindOnTarget(target, name))
  const { context } = write
  const { after, changes } = applyChanges(attributesIn(target, context), write.changes)
  const differences = Object.values(changes)
  if (differences.some((change) => change.new !== null)) {
    assertWithinLimits(after)
    assertContextFits(target, context)
  }
  if (differences.length > 0) {
    write.charge?.(bytesOfChanges(changes))
    replaceAttributes(target, context, { after, changes })
  }
  return changes
}

function assertContextFits(target: Target, context: string | undefined): void {
  if (context === undefined || Object.keys(attributesIn(target, context)).length > 0) return
  if (target.contextCount >= limits.contextsPerTarget)
    throw limitExceeded(
      `a user, device, or service can have at most ${limits.contextsPerTarget} contexts, found ${target.contextCount + 1}`,
    )
}

export function changeEvent(target: Target, context: string | undefined, changes: Changes): NewEvent {
  const { kind, id, name, device, lockedAt } = target
  const targets: NewEvent['targets'] = [{ id, name, kind }]
  if (kind === 'service' && device !== undefined) targets.push({ ...device, kind: 'device' })
  const data = { context: context ?? null, changes }
  const previous = takeReplacedTimes(target, context)
  const event: NewEvent = { type: 'ATTRIBUTE_CHANGE', timestamp: lockedAt, targets, data, previous }
  if (device !== undefined) event.deviceId = device.id
  return event
}

function attempt<Result>(step: () => Result): Result | ApiError {
  try {
    return step()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
