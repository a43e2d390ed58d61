import DataLoader from 'dataloader'
import type { Context } from '../../context.ts'
import { perRequest } from '../../graphql/per-request.ts'
import type { Device } from './device.ts'
import { selectDevices } from './devices.queries.ts'

type DeviceLoader = DataLoader<string, Device | undefined>

/** Not cached, because a request can change a device and read it again. */
const loaderOf = (attributes: boolean): ((context: Context) => DeviceLoader) =>
  perRequest(
    ({ db, viewer }) =>
      new DataLoader<string, Device | undefined>(
        async (ids) => {
          const found = await selectDevices(db, viewer.accountId, { ids: [...new Set(ids)], attributes })
          const byId = new Map(found.map((device) => [device.id, device]))
          return ids.map((id) => byId.get(id))
        },
        { cache: false },
      ),
  )

const withAttributes = loaderOf(true)
const withoutAttributes = loaderOf(false)

/** A device by its id as stored. Devices that are requested in the same tick are read together. */
export function loadDevice(
  context: Context,
  id: string,
  { attributes }: { attributes: boolean },
): Promise<Device | undefined> {
  return (attributes ? withAttributes : withoutAttributes)(context).load(id)
}
