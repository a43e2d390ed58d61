import { schemaPart } from '../../graphql/assemble.ts'
import { lookAhead } from '../../graphql/selection.ts'
import { categoryAndStatus } from '../attributes/attribute-name.ts'
import { listDevices } from './device-list.ts'
import { findDevices } from './devices.ts'

/** What of a device is read from its attributes. */
export const attributeFields: ReadonlySet<string> = new Set(['attributes', 'attribute', ...categoryAndStatus])

const listAsksForAttributes = lookAhead(['items'], attributeFields)
const asksForAttributes = lookAhead([], attributeFields)

export const devicesPart = schemaPart(new URL('./devices.graphql', import.meta.url), {
  User: {
    devices: (_user, args, context, info) => listDevices(context, args, { attributes: listAsksForAttributes(info) }),
    device: (_user, { id }, context, info) => findDevices(context, id, { attributes: asksForAttributes(info) }),
  },
  Device: {
    online: ({ state }) => state === 'active',
    owner: (_device, _args, { viewer }) => ({ id: viewer.accountId, email: viewer.email }),
  },
})
