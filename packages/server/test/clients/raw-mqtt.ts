import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { RegisteredDevice } from './mqtt-device.ts'

export interface RawConnection {
  socket: Socket
  received(): Buffer
  closed: Promise<unknown>
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let received = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close').catch(() => {})
  await once(socket, 'connect')
  return { socket, received: () => received, closed }
}

/** Builds an MQTT packet. For invalid packets, `length` overrides the declared length of the body, in bytes. */
export function packet(firstByte: number, body: Buffer, length = body.length): Buffer {
  const lengthBytes: number[] = []
  let rest = length
  do {
    lengthBytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0))
    rest = Math.floor(rest / 128)
  } while (rest > 0)
  return Buffer.concat([Buffer.from([firstByte, ...lengthBytes]), body])
}

const field = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/** Builds a device's CONNECT packet with a clean session (MQTT 3.1.1 §3.1). */
export function connectPacket({ id, secret }: RegisteredDevice, keepalive: number): Buffer {
  const header = Buffer.concat([field('MQTT'), Buffer.from([4, 0xc2, keepalive >> 8, keepalive & 0xff])])
  return packet(0x10, Buffer.concat([header, field(id), field(id), field(secret)]))
}

export const publishPacket = (topic: string, payload: Buffer): Buffer =>
  packet(0x30, Buffer.concat([field(topic), payload]))
