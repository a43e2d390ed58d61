/**
 * This program opens an MQTT connection for each device whose credentials the parent process sends. It then sends the
 * total number of open connections back.
 */
import type { Credentials } from '../../packages/cli/src/simulate/device.ts'
import { connectDevice, type MqttDevice } from './mqtt-device.ts'

const port = Number(process.argv[2])
const devices: MqttDevice[] = []

process.on('message', async (credentials: readonly Credentials[]) => {
  devices.push(...(await Promise.all(credentials.map((each) => connectDevice(each, port)))))
  process.send!({ open: devices.filter(({ isOpen }) => isOpen).length })
})

process.once('disconnect', () => process.exit())
