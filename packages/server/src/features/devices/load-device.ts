import type { Context } from '../../context.ts'
import { loaderById } from '../../graphql/loaders.ts'
import { insideOf } from '../../restriction.ts'
import type { Device } from './device.ts'
import { selectDevices } from './devices.queries.ts'

/** Creates a loader without a cache, because a request can change a device and then read it again. */
const loaderOf = (attributes: boolean) =>
  loaderById({ missing: undefined, cache: false }, async ({ db, viewer }: Context, ids) => {
    const asked = { ids: [...new Set(ids)], attributes, inside: insideOf(viewer) }
    const found = await selectDevices(db, viewer.accountId, asked)
    return new Map(found.map((device) => [device.id, device]))
  })

const withAttributes = loaderOf(true)
const withoutAttributes = loaderOf(false)

/**
 * One statement reads all devices that a request loads in the same tick of the event loop with the same `attributes`.
 */
export function loadDevice(
  context: Context,
  id: string,
  { attributes }: { attributes: boolean },
): Promise<Device | undefined> {
  return (attributes ? withAttributes : withoutAttributes)(context).load(id)
}
