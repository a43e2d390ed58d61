import { notFound } from '../../errors.ts'
import { schemaPart } from '../../graphql/assemble.ts'
import { lookAhead, writesOut } from '../../graphql/selection.ts'
import { loadDevice } from '../devices/load-device.ts'
import { applicationTypes, findApplicationType } from './application-types.ts'
import { listServices } from './list/services-list.ts'
import { findServices } from './services.ts'
import { loadServicesOfDevice } from './services-of-device.loaders.ts'

const selectsAttributes = lookAhead([], new Set(['attributes', 'attribute']))
const selectsAttributesOfList = lookAhead(['items'], new Set(['attributes', 'attribute']))

export const servicesPart = schemaPart(new URL('./services.graphql', import.meta.url), {
  Query: {
    applicationTypes: () => [...applicationTypes],
  },
  User: {
    services: (_user, args, context, info) => {
      // The schema gives `sortBy` a default. A view's order applies unless the request itself contains `sortBy`.
      const sortBy = writesOut(info, 'sortBy') ? args.sortBy : null
      return listServices(context, { ...args, sortBy }, { attributes: selectsAttributesOfList(info) })
    },
    service: (_user, { id }, context, info) => findServices(context, id, { attributes: selectsAttributes(info) }),
  },
  Device: {
    services: (device, args, context, info) =>
      loadServicesOfDevice(context, { ...args, attributes: selectsAttributes(info) }, device),
  },
  Service: {
    title: ({ application }) => findApplicationType(application)?.name ?? String(application),
    protocol: ({ application }) => findApplicationType(application)?.protocol ?? 'tcp',
    online: ({ state }) => state === 'active',
    device: async ({ device, deviceId }, _args, context) => {
      const found = device ?? (await loadDevice(context, deviceId, { attributes: false }))
      // The device can be missing only if it was deleted, or the caller lost access to it, after this request read the
      // service.
      if (found === undefined) throw notFound('device', deviceId)
      return found
    },
  },
})
