import type { Context } from '../../context.ts'
import { RawJson } from '../../graphql/values/raw-json.ts'
import { type AttributeName, parseAttributeName, parseContext, parseContextName } from './attribute-name.ts'
import { attributeLoaders } from './attributes.loaders.ts'
import { type Attributes, overlay, type RawAttributes, valueAt } from './attributes.ts'

type Eventually<Value> = Value | Promise<Value>

/** Attributes as read from the database. */
type Read = Attributes | RawAttributes

const lookInto = (read: Read): Attributes => (read instanceof RawJson ? read.value : read)

/** Something that has attributes, its base values with it where they were read with its row. */
export interface Holder {
  id: string
  attributes?: RawAttributes
}

/** What attributes need of a service: a bulk service has the attributes of its device. */
export interface ServiceHolder extends Holder {
  deviceId: string
}

export const deviceBase = (context: Context, { id, attributes }: Holder): Eventually<Read> =>
  attributes ?? attributeLoaders.deviceBases(context).load(id)

/** The reserved values among them, which may have been read alone. */
export const reservedBase = (context: Context, device: Holder & { reserved?: Attributes }): Eventually<Read> =>
  device.reserved ?? deviceBase(context, device)

export const serviceBase = (context: Context, service: ServiceHolder): Eventually<Read> => {
  if (service.id === service.deviceId) return deviceBase(context, service)
  return service.attributes ?? attributeLoaders.serviceBases(context).load(service.id)
}

export const userBase = (context: Context, { id }: Holder): Eventually<Read> =>
  attributeLoaders.userBases(context).load(id)

/** What a holder's base is read by. */
export type BaseOf<Kind extends Holder> = (context: Context, holder: Kind) => Eventually<Read>

/** The attributes as read in a context; the base without one. At once where the base is at hand and there is no context. */
export function readAttributes<Kind extends Holder>(
  context: Context,
  baseOf: BaseOf<Kind>,
  { holder, contextName }: { holder: Kind; contextName: string | null | undefined },
): Eventually<Read> {
  const name = parseContext(contextName, 'context')
  const base = baseOf(context, holder)
  if (name === undefined) return base
  const overrides = attributeLoaders.overrides(context).load({ targetId: holder.id, context: name })
  return Promise.all([base, overrides]).then(([below, above]) =>
    above === undefined ? below : overlay(lookInto(below), above),
  )
}

/** One value as read in a context; null if there is none. */
export function readAttribute<Kind extends Holder>(
  context: Context,
  baseOf: BaseOf<Kind>,
  { holder, name, contextName }: { holder: Kind; name: string; contextName: string | null | undefined },
): Eventually<string | null> {
  const parsed = parseAttributeName(name, 'name')
  return valueIn(readAttributes(context, baseOf, { holder, contextName }), parsed)
}

export function valueIn(attributes: Eventually<Read>, name: AttributeName): Eventually<string | null> {
  return attributes instanceof Promise
    ? attributes.then((read) => valueAt(lookInto(read), name))
    : valueAt(lookInto(attributes), name)
}

/** The values set in a context only. */
export async function readOverrides(context: Context, { id }: Holder, contextName: string): Promise<Attributes> {
  const name = parseContextName(contextName, 'context')
  return (await attributeLoaders.overrides(context).load({ targetId: id, context: name })) ?? {}
}

export const readContexts = (context: Context, { id }: Holder): Promise<string[]> =>
  attributeLoaders.contexts(context).load(id)
