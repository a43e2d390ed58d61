import type { Viewer } from '../../../viewer.ts'
import { isReadableName, readableOnly } from '../../attributes/attribute-access.ts'
import { type Attributes, emptyObject } from '../../attributes/attributes.ts'
import type { ListedItem } from '../bulk-item-pages.queries.ts'
import type { AttributeChanges, DeviceChanges, RemovedService } from '../bulk-job.ts'

type Restricted = Pick<Viewer, 'restriction' | 'reach'>

/**
 * Omits the values that the caller cannot read. If the caller cannot reach the device now, also omits the name, all
 * values, and the message. An exception is an item whose name and values come from the request.
 */
export function readableItem(viewer: Restricted, item: ListedItem): ListedItem {
  if (viewer.restriction === undefined) return item
  if (!item.isInside && !item.isGiven) return { ...item, name: '', changes: {}, message: null }
  return { ...item, changes: readableChanges(viewer, item.changes) }
}

function readableChanges(
  viewer: Restricted,
  { setAttributes, removeService, register, ...changes }: DeviceChanges,
): DeviceChanges {
  return {
    ...(setAttributes && { setAttributes: setAttributes.flatMap((each) => readableValues(viewer, each)) }),
    ...(removeService && { removeService: removeService.map((service) => readableService(viewer, service)) }),
    ...(register && {
      register: { ...register, attributes: readableOnly(viewer, register.attributes as Attributes) },
    }),
    ...changes,
  }
}

function readableValues(viewer: Restricted, { changes, ...place }: AttributeChanges): AttributeChanges[] {
  const readable = Object.entries(changes).filter(([name]) => isReadableName(viewer, name))
  return readable.length === 0
    ? []
    : [{ ...place, changes: Object.assign(emptyObject(), Object.fromEntries(readable)) }]
}

function readableService(viewer: Restricted, { attributes, overrides, ...service }: RemovedService): RemovedService {
  const inContexts = Object.entries(overrides).map(([context, values]) => [
    context,
    readableOnly(viewer, values as Attributes),
  ])
  return {
    ...service,
    attributes: readableOnly(viewer, attributes as Attributes),
    overrides: Object.fromEntries(inContexts.filter(([, values]) => Object.keys(values!).length > 0)),
  }
}
