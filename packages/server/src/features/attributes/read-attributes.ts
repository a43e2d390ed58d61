import type { Context } from '../../context.ts'
import { RawJson } from '../../graphql/values/raw-json.ts'
import { namesOf } from '../../restriction.ts'
import { readableOnly } from './attribute-access.ts'
import {
  type AttributeName,
  CONSOLE_GROUP,
  parseAttributeName,
  parseContext,
  parseContextName,
} from './attribute-name.ts'
import { attributeLoaders } from './attributes.loaders.ts'
import { type Attributes, overlay, type RawAttributes, valueAt } from './attributes.ts'
import { hasOwnSettings, personWithSettings } from './settings/own-settings.ts'

type Eventually<Value> = Value | Promise<Value>

type Read = Attributes | RawAttributes

export const toAttributes = (read: Read): Attributes => (read instanceof RawJson ? read.value : read)

/** `attributes` contains the base values if they were read with the row. */
export interface AttributeOwner {
  id: string
  attributes?: RawAttributes
}

/** A bulk service has the ID and the attributes of its device. */
export interface ServiceOwner extends AttributeOwner {
  deviceId: string
}

export const deviceBase = (context: Context, { id, attributes }: AttributeOwner): Eventually<Read> =>
  attributes ?? attributeLoaders.deviceBases(context).load(id)

/** Returns only the reserved values if they were read without the other attributes. */
export const reservedBase = (context: Context, device: AttributeOwner & { reserved?: Attributes }): Eventually<Read> =>
  readable(context, device.reserved ?? deviceBase(context, device))

export const serviceBase = (context: Context, service: ServiceOwner): Eventually<Read> => {
  if (service.id === service.deviceId) return deviceBase(context, service)
  return service.attributes ?? attributeLoaders.serviceBases(context).load(service.id)
}

export const userBase = (context: Context, { id }: AttributeOwner): Eventually<Read> =>
  attributeLoaders.userBases(context).load(id)

export type BaseOf<Kind extends AttributeOwner> = (context: Context, owner: Kind) => Eventually<Read>

/** Returns a promise if a context is given, or if the base values were not read with the row. */
export function readAttributes<Kind extends AttributeOwner>(
  context: Context,
  baseOf: BaseOf<Kind>,
  { owner, contextName }: { owner: Kind; contextName: string | null | undefined },
): Eventually<Read> {
  const name = parseContext(contextName, 'context')
  const base = baseOf(context, owner)
  if (name === undefined) return readable(context, base)
  const overrides = attributeLoaders.overrides(context).load({ targetId: owner.id, context: name })
  return Promise.all([base, overrides]).then(([values, overriding]) =>
    limit(context, overriding === undefined ? values : overlay(toAttributes(values), overriding)),
  )
}

const readable = (context: Context, read: Eventually<Read>): Eventually<Read> =>
  read instanceof Promise ? read.then((found) => limit(context, found)) : limit(context, read)

function limit({ viewer }: Context, read: Read): Read {
  if (namesOf(viewer) === undefined) return read
  const attributes = toAttributes(read)
  const readable = readableOnly(viewer, attributes)
  const settings = personWithSettings(viewer) === undefined ? undefined : attributes[CONSOLE_GROUP]
  return settings === undefined ? readable : { ...readable, [CONSOLE_GROUP]: settings }
}

export const readUserAttributes = async (context: Context): Promise<Attributes> =>
  toAttributes(
    await readAttributes(context, userBase, { owner: { id: context.viewer.accountId }, contextName: undefined }),
  )

export function readAttribute<Kind extends AttributeOwner>(
  context: Context,
  baseOf: BaseOf<Kind>,
  { owner, name, contextName }: { owner: Kind; name: string; contextName: string | null | undefined },
): Eventually<string | null> {
  const parsed = parseAttributeName(name, 'name')
  return valueIn(readAttributes(context, baseOf, { owner, contextName }), parsed)
}

export function valueIn(attributes: Eventually<Read>, name: AttributeName): Eventually<string | null> {
  return attributes instanceof Promise
    ? attributes.then((read) => valueAt(toAttributes(read), name))
    : valueAt(toAttributes(attributes), name)
}

export async function readOverrides(
  context: Context,
  { id }: AttributeOwner,
  contextName: string,
): Promise<Attributes> {
  const name = parseContextName(contextName, 'context')
  const found = (await attributeLoaders.overrides(context).load({ targetId: id, context: name })) ?? {}
  return readableOnly(context.viewer, found)
}

/** Lists the contexts with an override that the viewer can read. */
export async function readContexts(context: Context, owner: AttributeOwner): Promise<string[]> {
  const contexts = await attributeLoaders.contexts(context).load(owner.id)
  if (namesOf(context.viewer) === undefined && !hasOwnSettings(context.viewer, owner.id)) return contexts
  const overrides = await Promise.all(contexts.map((name) => readOverrides(context, owner, name)))
  return contexts.filter((_name, index) => Object.keys(overrides[index]!).length > 0)
}
