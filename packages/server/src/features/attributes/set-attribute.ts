import type { Context } from '../../context.ts'
import { badInput } from '../../errors.ts'
import type { MutationSetAttributeArgs } from '../../resolvers.generated.ts'
import { actorOf, sourceOf } from '../events/event-source.ts'
import {
  type AttributeName,
  assertAllowed,
  assertVisibleNames,
  isCategoryOrStatus,
  isReserved,
  parseAttributeName,
  parseContext,
} from './attribute-name.ts'
import { forgetAttributes } from './attributes.loaders.ts'
import { valueAt } from './attributes.ts'
import { attributeValue } from './parse-attributes.ts'
import { setOnAccount, setOnService, setReserved } from './set-attribute.queries.ts'
import { getTargetId, writeAttributes } from './set-attributes.ts'
import { setTogether } from './set-together.ts'
import { assertOnlySettings, isOwnSetting, writeOwnSettings } from './settings/own-settings.ts'

/** Returns the resulting value in the context of the input. */
export async function setAttribute(context: Context, input: MutationSetAttributeArgs): Promise<string | null> {
  const name = parseAttributeName(input.name, 'name')
  // A client that omits the value by accident must not remove the attribute or the whole group.
  if (input.value === undefined) throw badInput('value is required: pass null to remove the attribute')
  const value = attributeValue(input.value, 'value')
  const targetId = getTargetId(context.viewer.accountId, input.serviceId)
  const place = { targetId, context: parseContext(input.context, 'context') }
  assertVisibleNames([{ name, value }], { context: place.context, path: 'name' })
  assertOnlySettings(context.viewer, place, { changes: [{ name, value }], path: 'name' })
  if (isOwnSetting(context.viewer, place, { name })) {
    await writeOwnSettings(context, [{ name, value }], 'name')
    forgetAttributes(context)
    return value
  }
  // The fast path writes only base values and does not apply the viewer's restriction. A cluster would split the
  // statement into several steps, which would take longer than the transaction.
  const isFast = place.context === undefined && context.viewer.restriction === undefined && !context.isCluster
  if (isFast && (await setInOneStatement(context, { targetId, name, value }))) {
    forgetAttributes(context)
    return value
  }
  const attributes = await writeAttributes(context, { ...place, path: 'name', changes: [{ name, value }] })
  return valueAt(attributes, name)
}

/**
 * Returns false if the target is unknown, or if the write removes a group or violates a rule. The caller then uses a
 * transaction, which removes the group or reports the error. Throws if the account cannot have the attribute.
 */
async function setInOneStatement(
  context: Context,
  { targetId, name, value }: { targetId: string; name: AttributeName; value: string | null },
): Promise<boolean> {
  const { db, viewer } = context
  const write = {
    accountId: viewer.accountId,
    actorId: actorOf(viewer),
    source: sourceOf(viewer),
    targetId,
    name,
    value,
  }
  if (targetId === viewer.accountId) {
    assertAllowed(name, value, 'user', 'name')
    return (await setOnAccount(db, write)) === true
  }
  if (isReserved(name)) return isCategoryOrStatus(name) && (await setReserved(db, write)) === true
  return ((await setTogether(db, write)) ?? (await setOnService(db, write))) === true
}
