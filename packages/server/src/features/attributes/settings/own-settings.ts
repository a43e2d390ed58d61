import type { Context } from '../../../context.ts'
import { notFound } from '../../../errors.ts'
import type { Viewer } from '../../../viewer.ts'
import { applyChanges, assertWithinLimits, type Change } from '../apply-changes.ts'
import { CONSOLE_GROUP } from '../attribute-name.ts'
import { type Attributes, emptyObject } from '../attributes.ts'
import { assertAllAllowed } from '../initial-attributes.ts'
import { findOwnSettings, lockOwnSettings, updateOwnSettings } from './own-settings.queries.ts'

/** Returns the person whose settings replace the account's group $ui: the signed-in person, or undefined for a key. */
export const personWithSettings = ({ session, personId, accountId }: Viewer): string | undefined =>
  session === undefined ? undefined : (personId ?? accountId)

/** Replaces the group $ui of the account's attributes with the signed-in person's settings. */
export async function withOwnSettings({ db, viewer }: Context, attributes: Attributes): Promise<Attributes> {
  const personId = personWithSettings(viewer)
  if (personId === undefined) return attributes
  const { [CONSOLE_GROUP]: _ofAccount, ...others } = attributes
  return joinSettings(others, (await findOwnSettings(db, personId)) ?? {})
}

interface Place {
  targetId: string
  context: string | undefined
}

/** Checks whether a change sets or removes one of the signed-in person's settings, which are base values. */
export const isOwnSetting = (viewer: Viewer, { targetId, context }: Place, { name }: Change): boolean =>
  name[0] === CONSOLE_GROUP &&
  targetId === viewer.accountId &&
  context === undefined &&
  personWithSettings(viewer) !== undefined

/** Changes the signed-in person's settings, by the rules of attributes. Such a change creates no event. */
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
