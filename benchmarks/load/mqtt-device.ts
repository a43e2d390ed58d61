import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { generate, type Packet, parser } from 'mqtt-packet'
import type { Credentials } from '../../packages/cli/src/simulate/device.ts'

/** The MQTT connection of a device. It uses less CPU time than a complete MQTT client. */
export interface MqttDevice {
  /** Publishes attributes with QoS 1, and waits for the acknowledgment. Only one call may run at a time. */
  publish(attributes: Record<string, string>): Promise<void>
  readonly isOpen: boolean
  close(): void
}

/** Connects a device. Rejects if the connection fails or the broker does not accept the device. */
export async function connectDevice({ id, secret }: Credentials, port: number): Promise<MqttDevice> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const next = receivePackets(socket)
  await once(socket, 'connect')
  socket.write(
    generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId: id,
      username: id,
      password: Buffer.from(secret),
      keepalive: 0,
    }),
  )
  const accepted = await next()
  if (accepted.cmd !== 'connack' || accepted.returnCode !== 0)
    throw new Error(`The broker did not accept the connection of the device ${id}: ${JSON.stringify(accepted)}`)
  const topic = `devices/${id}/attributes`
  let messageId = 0
  return {
    async publish(attributes) {
      messageId = (messageId % 65_535) + 1
      const payload = JSON.stringify(attributes)
      socket.write(generate({ cmd: 'publish', topic, payload, qos: 1, messageId, dup: false, retain: false }))
      const acknowledged = await next()
      if (acknowledged.cmd !== 'puback' || acknowledged.messageId !== messageId)
        throw new Error(
          `Expected the acknowledgment of message ${messageId}, but received ${JSON.stringify(acknowledged)}`,
        )
    },
    get isOpen() {
      return !socket.closed
    },
    close: () => socket.destroy(),
  }
}

/** The returned function waits for the next packet, and rejects if the connection fails. Calls must not overlap. */
function receivePackets(socket: Socket): () => Promise<Packet> {
  const packets: Packet[] = []
  let failure: Error | undefined
  let wake = (): void => {}
  const decode = parser()
  decode.on('packet', (packet) => {
    packets.push(packet)
    wake()
  })
  const fail = (error: Error): void => {
    failure ??= error
    wake()
  }
  decode.on('error', fail)
  socket.on('data', (bytes: Buffer) => decode.parse(bytes))
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The connection to the broker was closed.')))
  return async () => {
    while (packets.length === 0) {
      if (failure !== undefined) throw failure
      await new Promise<void>((resolve) => (wake = resolve))
    }
    return packets.shift()!
  }
}
