// This program runs the connected devices and the webhook receiver in a separate process.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { createThrottle } from '../../../cli/src/simulate/connection-throttle.ts'
import { newCounts } from '../../../cli/src/simulate/counts.ts'
import { type Credentials, createDevice } from '../../../cli/src/simulate/device.ts'

export type FleetCommand =
  | { kind: 'receive'; secret: string }
  | { kind: 'connect'; broker: string; devices: Credentials[]; every: number }
  | { kind: 'stop' }

export interface FleetState {
  receiver: string
  connected: number
  failures: Record<string, number>
  reports: number
  /** The number of distinct webhook messages with a valid signature. */
  received: number
  /** The number of webhook messages with an invalid signature. */
  forged: number
}

const EVERY_MS = 1_000

if (process.send !== undefined) await run()

async function run(): Promise<void> {
  const counts = newCounts(0)
  const ids = new Set<string>()
  let forged = 0
  let verifier: Webhook | undefined
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = request.headers as Record<string, string>
    try {
      verifier?.verify(Buffer.concat(chunks).toString(), headers)
      ids.add(headers['webhook-id']!)
    } catch {
      forged++
    }
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const sendState = (): void => {
    const { connected, failures, publishes: reports } = counts
    process.send!({ receiver, connected, failures, reports, received: ids.size, forged } satisfies FleetState)
  }
  const sendingState = setInterval(sendState, EVERY_MS)
  let fleet: ReturnType<typeof createDevice>[] = []
  let running: Promise<unknown> = Promise.resolve()
  // Exit when the parent process ends.
  process.once('disconnect', () => process.exit())
  process.on('message', async (command: FleetCommand) => {
    if (command.kind === 'receive') verifier = new Webhook(command.secret)
    else if (command.kind === 'connect') {
      // Connect devices at their reporting rate, so that reports are spread evenly.
      const waitToConnect = createThrottle(command.devices.length / command.every)
      const behavior = { broker: command.broker, every: command.every, dropEvery: 0, waitToConnect }
      fleet = command.devices.map((device) => createDevice(device, behavior, counts))
      running = Promise.all(fleet.map((device) => device.run()))
    } else {
      for (const device of fleet) device.stop()
      await running
      clearInterval(sendingState)
      server.close()
      server.closeAllConnections()
      process.disconnect?.()
    }
  })
  sendState()
}
