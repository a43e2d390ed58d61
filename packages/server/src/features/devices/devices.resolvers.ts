import { schemaPart } from '../../graphql/assemble.ts'
import { lookAhead, writesOut } from '../../graphql/selection.ts'
import { categoryAndStatus } from '../attributes/attribute-name.ts'
import type { AttributesRead } from './device-row.ts'
import { findDevices } from './devices.ts'
import { devicesUrl } from './devices-download.ts'
import { listDevices } from './list/device-list.ts'

function selectedAttributes(
  path: readonly string[],
): (info: Parameters<ReturnType<typeof lookAhead>>[0]) => AttributesRead {
  const selectsAny = lookAhead(path, new Set(['attributes', 'attribute']))
  const selectsReserved = lookAhead(path, new Set(categoryAndStatus))
  return (info) => selectsAny(info) || (selectsReserved(info) && 'reserved')
}

const attributesOfList = selectedAttributes(['items'])
const attributesOfDevices = selectedAttributes([])

export const devicesPart = schemaPart(new URL('./devices.graphql', import.meta.url), {
  User: {
    devices: (_user, args, context, info) => {
      // The schema gives `sort` a default, which must not replace a view's order.
      const sort = writesOut(info, 'sort') ? args.sort : null
      return listDevices(context, { ...args, sort }, { attributes: attributesOfList(info) })
    },
    devicesUrl: (_user, args, context) => devicesUrl(context, args),
    device: (_user, { id }, context, info) => findDevices(context, id, { attributes: attributesOfDevices(info) }),
  },
  Device: {
    online: ({ state }) => state === 'active',
    owner: (_device, _args, { viewer }) => ({ id: viewer.accountId, email: viewer.email }),
  },
})
