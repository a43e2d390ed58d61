import type { Context } from '../../../context.ts'
import { notFound } from '../../../errors.ts'
import type { SchemaPart } from '../../../graphql/assemble.ts'
import { readChange } from '../../../graphql/change-made.ts'
import { done } from '../../../graphql/done.ts'
import type { Device } from '../device.ts'
import { findDevices } from '../devices.ts'
import { deleteDevices, registerDevice, updateDevice } from './device-changes.ts'
import { rotateDeviceSecret } from './rotate-secret.ts'
import { transferDevices } from './transfer/transfer-devices.ts'

export const deviceChangesPart: SchemaPart = {
  resolvers: {
    Mutation: {
      registerDevice: async (_root, input, context) => {
        const { id, secret } = await registerDevice(context, input)
        return { device: await readChange(() => getDevice(context, id)), secret }
      },
      updateDevice: async (_root, { deviceId, ...change }, context) => {
        const id = await updateDevice(context, deviceId, change)
        return readChange(() => getDevice(context, id))
      },
      rotateDeviceSecret: async (_root, { deviceId, allow }, context) => {
        const { id, secret } = await rotateDeviceSecret(context, deviceId, { allow })
        return { device: await readChange(() => getDevice(context, id)), secret }
      },
      deleteDevice: (_root, { deviceId, force }, context) => done(deleteDevices(context, [deviceId], force)),
      deleteDevices: (_root, { deviceId, force }, context) => done(deleteDevices(context, deviceId, force)),
      transferDevices: (_root, input, context) => transferDevices(context, input),
    },
  },
}

/** Throws NOT_FOUND only if the device was deleted or moved after the change, or the caller can no longer reach it. */
async function getDevice(context: Context, id: string): Promise<Device> {
  const [device] = await findDevices(context, [id])
  if (device === undefined) throw notFound('device', id)
  return device
}
