import type { Context } from '../../context.ts'
import { schemaPart } from '../../graphql/assemble.ts'
import type { Device } from '../devices/device.ts'
import { categoryAndStatus, RESERVED_GROUP } from './attribute-name.ts'
import { listAttributeNames } from './names/list-attribute-names.ts'
import {
  type AttributeOwner,
  type BaseOf,
  deviceBase,
  readAttribute,
  readAttributes,
  readContexts,
  readOverrides,
  reservedBase,
  serviceBase,
  userBase,
  valueIn,
} from './read-attributes.ts'
import { setAttribute } from './set-attribute.ts'
import { setAttributes, setAttributesMany } from './set-attributes.ts'

const attributeFields = <Kind extends AttributeOwner>(baseOf: BaseOf<Kind>) => ({
  attributes: (owner: Kind, input: { context?: string | null }, context: Context) =>
    readAttributes(context, baseOf, { owner, contextName: input.context }),
  attribute: (owner: Kind, input: { name: string; context?: string | null }, context: Context) =>
    readAttribute(context, baseOf, { owner, name: input.name, contextName: input.context }),
  overrides: (owner: Kind, input: { context: string }, context: Context) =>
    readOverrides(context, owner, input.context),
  contexts: (owner: Kind, _input: unknown, context: Context) => readContexts(context, owner),
})

/** These fields always return base values, even if the document reads other attributes in a context. */
const categoryAndStatusFields = Object.fromEntries(
  categoryAndStatus.map((subName) => [
    subName,
    (device: Device, _input: unknown, context: Context) =>
      valueIn(reservedBase(context, device), [RESERVED_GROUP, subName]),
  ]),
)

export const attributesPart = schemaPart(new URL('./attributes.graphql', import.meta.url), {
  User: {
    ...attributeFields(userBase),
    attributeNames: (_user, _input, context) => listAttributeNames(context),
  },
  Device: { ...attributeFields(deviceBase), ...categoryAndStatusFields },
  Service: attributeFields(serviceBase),
  Mutation: {
    setAttribute: (_root, input, context) => setAttribute(context, input),
    setAttributes: (_root, input, context) => setAttributes(context, input),
    setAttributesMany: (_root, { items }, context) => setAttributesMany(context, items),
  },
})
