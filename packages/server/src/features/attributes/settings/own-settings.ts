import type { Context } from '../../../context.ts'
import { ApiError, badInput, notFound } from '../../../errors.ts'
import type { Viewer } from '../../../viewer.ts'
import { applyChanges, assertWithinLimits } from '../apply-changes.ts'
import { CONSOLE_GROUP, joinAttributeName } from '../attribute-name.ts'
import { type Attributes, emptyObject } from '../attributes.ts'
import type { Place } from '../lock-and-save-targets.ts'
import { assertAllAllowed, type Change } from '../parse-attributes.ts'
import { findOwnSettings, lockOwnSettings, updateOwnSettings } from './own-settings.queries.ts'

/** Returns the ID of the signed-in person, or undefined without a session: only a signed-in person has settings. */
export const personWithSettings = ({ session, personId, accountId }: Viewer): string | undefined =>
  session === undefined ? undefined : (personId ?? accountId)

/** Replaces the account's group $ui with the signed-in person's settings. */
export async function withOwnSettings({ db, viewer }: Context, attributes: Attributes): Promise<Attributes> {
  const personId = personWithSettings(viewer)
  if (personId === undefined) return attributes
  const { [CONSOLE_GROUP]: _ofAccount, ...others } = attributes
  return joinSettings(others, (await findOwnSettings(db, personId)) ?? {})
}

export const hasOwnSettings = (viewer: Viewer, targetId: string): boolean =>
  targetId === viewer.accountId && personWithSettings(viewer) !== undefined

/** Omits the account's group $ui, because the person's own settings replace it and have no contexts. */
export function withoutAccountSettings(viewer: Viewer, targetId: string, overrides: Attributes): Attributes {
  if (!Object.hasOwn(overrides, CONSOLE_GROUP) || !hasOwnSettings(viewer, targetId)) return overrides
  const { [CONSOLE_GROUP]: _ofAccount, ...others } = overrides
  return others
}

/** Checks whether a name belongs to the signed-in person's settings, which are base values. */
export const isOwnSetting = (viewer: Viewer, { targetId, context }: Place, { name }: Pick<Change, 'name'>): boolean =>
  name[0] === CONSOLE_GROUP && context === undefined && hasOwnSettings(viewer, targetId)

/**
 * Throws if the changes include the signed-in person's settings together with a context or with other attributes.
 * Settings have only base values, and are not written in the same transaction as the account's attributes.
 */
export function assertOnlySettings(
  viewer: Viewer,
  { targetId, context }: Place,
  { changes, path }: { changes: readonly Change[]; path: string },
): void {
  if (!hasOwnSettings(viewer, targetId)) return
  const setting = changes.find(({ name }) => name[0] === CONSOLE_GROUP)
  if (setting === undefined) return
  if (context !== undefined) {
    const name = JSON.stringify(joinAttributeName(setting.name))
    throw new ApiError('RESERVED_ATTRIBUTE', `${path}: ${name} is a console setting and has no contexts: omit context`)
  }
  const other = changes.find(({ name }) => name[0] !== CONSOLE_GROUP)
  if (other === undefined) return
  const name = JSON.stringify(joinAttributeName(other.name))
  throw badInput(
    `${path}: $ui contains your own settings, but ${name} is an attribute of the account: set them in separate requests`,
  )
}

interface Mutation {
  name: string
  args: Readonly<Record<string, unknown>>
}

/** A mutation that changes only the settings of the signed-in person needs no permission. */
export const changesOnlyOwnSettings = (viewer: Viewer, mutation: Mutation): boolean =>
  personWithSettings(viewer) !== undefined && changesOnlySettings(viewer.accountId, mutation)

/** Checks whether a mutation changes only base values in the group $ui of the account. */
export function changesOnlySettings(accountId: string, { name, args }: Mutation): boolean {
  const { serviceId, context } = args
  if (accountId === '' || context != null || serviceId !== accountId) return false
  if (name === 'setAttribute') return isSetting(String(args.name))
  return name === 'setAttributes' && Object.keys(args.attributes as object).every(isSetting)
}

const isSetting = (name: string): boolean => name === CONSOLE_GROUP || name.startsWith(`${CONSOLE_GROUP}.`)

/** Changes to settings are not recorded as events. */
export async function writeOwnSettings(
  { db, viewer }: Context,
  changes: readonly Change[],
  path: string,
): Promise<void> {
  const personId = personWithSettings(viewer)!
  assertAllAllowed(changes, 'user', path)
  await db.transaction().execute(async (transaction) => {
    const settings = await lockOwnSettings(transaction, personId)
    if (settings === undefined) throw notFound('user', personId)
    const { after } = applyChanges(joinSettings({}, settings), changes)
    assertWithinLimits(after)
    await updateOwnSettings(transaction, personId, after[CONSOLE_GROUP] as Record<string, string> | undefined)
  })
}

function joinSettings(attributes: Attributes, settings: Record<string, string>): Attributes {
  const joined: Attributes = Object.assign(emptyObject(), attributes)
  if (Object.keys(settings).length > 0) joined[CONSOLE_GROUP] = settings
  return joined
}
