import { randomBytes } from 'node:crypto'
import { lockMasterKey } from '../../auth/master-key/master-key.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { assertBelowLimit, badInput, limitExceeded, notFound } from '../../errors.ts'
import { assertName, assertStorable } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import type { MutationCreateWebhookArgs, MutationUpdateWebhookArgs } from '../../resolvers.generated.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { fieldChanges, recordEvents } from '../events/record.ts'
import { assertCanonicalLength } from '../filters/read-filter.ts'
import { createOnceInTransaction } from '../idempotency/record-created.ts'
import {
  hasSelection,
  readSelection,
  resolveSelection,
  type SelectionArguments,
  type StoredSelection,
} from '../judging/device-selection.ts'
import { lockAccount } from '../users/users.ts'
import { hideCursor } from './fan-out/fan-out.queries.ts'
import { type Webhook, webhookTarget } from './webhook.ts'
import { generateWebhookSecret, sealSecret } from './webhook-secret.ts'
import { assertWebhookUrl } from './webhook-url.ts'
import {
  countWebhookRows,
  insertSending,
  insertWebhook,
  lockWebhook,
  notifyWebhook,
  removeWebhook,
  replaceSecret,
  resetSending,
  selectWebhooks,
  writeWebhook,
} from './webhooks.queries.ts'

type Viewing = Pick<Context, 'db' | 'viewer'>

const defaultEvents = ['DEVICE_STATE', 'SERVICE_STATE'] as const satisfies readonly EventTypeName[]
const MAX_OVERLAP_SECONDS = 604_800

/** Lists webhooks. An account has few webhooks, so this function reads all of them. */
export async function listWebhooks({ db, viewer }: Viewing, ids?: readonly string[] | null): Promise<Webhook[]> {
  if (ids && ids.length > limits.idsPerList)
    throw limitExceeded(`id accepts at most ${limits.idsPerList} IDs, found ${ids.length}`)
  const webhooks = await selectWebhooks(db, viewer.accountId)
  return ids ? webhooks.filter(({ id }) => ids.includes(id)) : webhooks
}

export const countWebhooks = ({ db, viewer }: Viewing): Promise<number> => countWebhookRows(db, viewer.accountId)

/** Creates a webhook. Only this result and the result of `rotateWebhookSecret` contain a secret. */
export async function createWebhook(context: Context, input: MutationCreateWebhookArgs): Promise<Webhook> {
  const { viewer, secrets, outbound } = context
  const events = readEvents(input.events) ?? [...defaultEvents]
  if (input.name != null) assertName(input.name, 'name', limits.webhookNameLength)
  assertWebhookUrl(input.url, outbound)
  const selection = await readSelectionToStore(context, input)

  const create = async (transaction: Database) => {
    await lockAccount(transaction, viewer.accountId)
    assertBelowLimit('webhooks', {
      limit: limits.webhooks,
      found: await countWebhookRows(transaction, viewer.accountId),
    })
    await lockMasterKey(transaction, secrets)
    // Check the view again, because it may have been deleted before the account was locked. While the account is
    // locked, no view can be deleted.
    await resolveSelection({ db: transaction, viewer }, selection)
    const id = `wh_${randomBytes(12).toString('hex')}`
    const secret = generateWebhookSecret()
    const webhook = await insertWebhook(transaction, viewer.accountId, {
      id,
      name: input.name ?? null,
      url: input.url,
      events,
      enabled: input.enabled ?? true,
      ...selection,
      encryptedSecret: sealSecret(secrets, { accountId: viewer.accountId, webhookId: id }, secret),
    })
    await insertSending(transaction, viewer.accountId, id)
    if (hasSelection(webhook)) await hideCursor(transaction)
    const { name, url, enabled } = webhook
    const data = { name, url, events, enabled, ...selectionData(webhook) }
    await recordWebhookEvent({ db: transaction, viewer }, 'WEBHOOK_CREATE', webhook, data)
    return { ...webhook, secret }
  }
  return createOnceInTransaction(context, create, ({ id, secret }) => ({ kind: 'webhook', id, secret }))
}

/**
 * Updates a webhook. With `enabled: true` or a new URL, also resumes paused deliveries. If the deliveries are paused
 * because the view is invalid, setting the filter, view, or context resumes them, too.
 */
export async function updateWebhook(context: Context, change: MutationUpdateWebhookArgs): Promise<Webhook> {
  const { db, viewer, outbound } = context
  const { id } = change
  assertStorable(id, 'id')
  const events = readEvents(change.events)
  if (change.name != null) assertName(change.name, 'name', limits.webhookNameLength)
  if (change.url != null) assertWebhookUrl(change.url, outbound)

  const changesSelection = [change.where, change.view, change.context].some((argument) => argument !== undefined)
  return db.transaction().execute(async (transaction) => {
    // While the account is locked, no view can be deleted.
    if (changesSelection) await lockAccount(transaction, viewer.accountId)
    const before = await lockWebhook(transaction, viewer.accountId, id)
    if (before === undefined) throw notFound('webhook', id)
    const selection = changesSelection
      ? await readSelectionToStore({ ...context, db: transaction }, changedSelection(before, change))
      : {}
    const after = {
      ...before,
      name: change.name === undefined ? before.name : change.name,
      url: change.url ?? before.url,
      events: events !== undefined && !isSame(events, before.events) ? events : before.events,
      enabled: change.enabled ?? before.enabled,
      ...selection,
    }
    const endsPause = change.enabled === true || after.url !== before.url || (changesSelection && before.isViewBroken)
    if (endsPause) Object.assign(after, { paused: null, failing: null, isViewBroken: false })
    const changes = fieldChanges(settingsOf(before), settingsOf(after))
    if (changesSelection && hasSelection(after)) await hideCursor(transaction)
    if (endsPause) await resetSending(transaction, viewer.accountId, id)
    if (changes !== undefined) {
      await writeWebhook(transaction, viewer.accountId, after)
      await recordWebhookEvent({ db: transaction, viewer }, 'WEBHOOK_UPDATE', after, { changes })
    }
    await notifyWorkers({ db: transaction, viewer }, id)
    return after
  })
}

export async function deleteWebhook({ db, viewer }: Viewing, id: string): Promise<void> {
  assertStorable(id, 'id')
  await db.transaction().execute(async (transaction) => {
    const deleted = await removeWebhook(transaction, viewer.accountId, id)
    if (deleted === undefined) throw notFound('webhook', id)
    const { name, url } = deleted
    await recordWebhookEvent({ db: transaction, viewer }, 'WEBHOOK_DELETE', deleted, { name, url })
    await notifyWorkers({ db: transaction, viewer }, id)
  })
}

/**
 * Replaces the signing secret. Only this response contains the new secret. For `overlap` seconds, the server also signs
 * messages with the previous secret.
 */
export async function rotateWebhookSecret(context: Context, id: string, overlap: number): Promise<Webhook> {
  const { db, viewer, secrets, clock } = context
  assertStorable(id, 'id')
  if (overlap < 0 || overlap > MAX_OVERLAP_SECONDS)
    throw badInput(`overlap must be from 0 to ${MAX_OVERLAP_SECONDS} seconds, not ${overlap}`)

  return db.transaction().execute(async (transaction) => {
    const webhook = await lockWebhook(transaction, viewer.accountId, id)
    if (webhook === undefined) throw notFound('webhook', id)
    await lockMasterKey(transaction, secrets)
    const secret = generateWebhookSecret()
    const formerUntil = new Date(clock().getTime() + overlap * 1_000)
    await replaceSecret(transaction, viewer.accountId, {
      id,
      secret: sealSecret(secrets, { accountId: viewer.accountId, webhookId: id }, secret),
      formerUntil,
    })
    await recordWebhookEvent({ db: transaction, viewer }, 'WEBHOOK_UPDATE', webhook, { formerSecretUntil: formerUntil })
    await notifyWorkers({ db: transaction, viewer }, id)
    return { ...webhook, secret }
  })
}

export const notifyWorkers = ({ db, viewer }: Viewing, webhookId: string): Promise<void> =>
  notifyWebhook(db, { accountId: viewer.accountId, webhookId })

function readEvents(events: readonly EventTypeName[] | null | undefined): EventTypeName[] | undefined {
  if (events == null) return undefined
  if (events.length === 0)
    throw badInput('events must contain at least one type: to send no events, disable the webhook')
  return [...new Set(events)]
}

async function readSelectionToStore(context: Context, args: SelectionArguments): Promise<StoredSelection> {
  const selection = await readSelection(context, args)
  if (selection.where !== null) assertCanonicalLength(selection.where, 'where')
  return selection
}

/** Returns the changed selection. An omitted argument keeps the stored value, and null removes the value. */
const changedSelection = (before: Webhook, { where, view, context }: SelectionArguments): SelectionArguments => ({
  where: where === undefined ? before.where : where,
  view: view === undefined ? before.viewId : view,
  context: context === undefined ? before.context : context,
})

const settingsOf = ({ name, url, events, enabled, paused, where, viewId, context }: Webhook) => ({
  ...{ name, url, events, enabled, paused, where, view: viewId, context },
})

/** Returns the selection's data for events, without fields that are not set. */
const selectionData = ({ where, viewId, context }: Webhook) => ({
  ...(where !== null && { where }),
  ...(viewId !== null && { view: viewId }),
  ...(context !== null && { context }),
})

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one))

async function recordWebhookEvent(
  { db, viewer }: Viewing,
  type: EventTypeName,
  webhook: Webhook,
  data: Record<string, unknown>,
): Promise<void> {
  await recordEvents(db, { viewer }, [{ type, targets: [webhookTarget(webhook)], data }])
}
