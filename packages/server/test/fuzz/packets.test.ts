import { expect, it } from 'vitest'
import { connectMqtt, type RegisteredDevice, registerDevice } from '../clients/mqtt-device.ts'
import { connectPacket, openRaw, packet, publishPacket } from '../clients/raw-mqtt.ts'
import { sharedTestApp } from '../harness/app.ts'
import { createRandom, type Random } from './random.ts'
import { longTimeout, report, scale } from './scale.ts'
import { naughtyStrings } from './strings/naughty-strings.ts'

const app = sharedTestApp({ mqtt: true })

const mqttString = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string).subarray(0, 65_535)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/** Builds a packet of a random type, usually with invalid content (MQTT 3.1.1 §2, §3). */
function invalidPacket({ id }: RegisteredDevice, random: Random): Buffer {
  const word = random.pick(naughtyStrings)
  const topic = random.pick([
    `devices/${id}/attributes`,
    `devices/${id}/${word}`,
    word,
    '$SYS/#',
    '+/+',
    `devices/${id}/services`,
    '',
  ])
  const payload = Buffer.from(
    random.pick([
      '{',
      '[]',
      'null',
      '{"a":1}',
      '{"__proto__":{"a":"b"}}',
      word,
      '"',
      '\xff',
      `{"a":${JSON.stringify(word)}}`,
    ]),
  )
  const messageId = Buffer.from([random.below(256), random.below(256)])
  const bytes = Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256)))
  return random.pick<() => Buffer>([
    () => publishPacket(topic, payload),
    () => packet(0x32 | (random.below(2) << 3), Buffer.concat([mqttString(topic), messageId, payload])),
    () => packet(0x36, Buffer.concat([mqttString(topic), messageId, payload])),
    () => packet(0x30 | random.below(16), Buffer.concat([mqttString(topic), payload])),
    () => packet(0x82, Buffer.concat([messageId, mqttString(topic), Buffer.from([random.below(256)])])),
    () => packet(0xa2, Buffer.concat([messageId, mqttString(topic)])),
    () => packet(random.pick([0x40, 0x50, 0x62, 0x70, 0x90, 0xb0]), messageId),
    () => packet(random.below(256), bytes),
    () => packet(random.below(256), bytes, random.below(1_000)),
    () => packet(0x10, Buffer.concat([mqttString('MQTT'), Buffer.from([random.below(256), random.below(256)]), bytes])),
    () => packet(0x30, Buffer.concat([Buffer.from([0xff, 0xff]), payload])),
    () => Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]),
    () => bytes,
  ])()
}

it('keeps other devices connected when a device sends malformed packets', longTimeout, async () => {
  const random = createRandom(scale.seed)
  const device = await registerDevice(app.owner, 'bystander')
  const otherDevice = await connectMqtt(`mqtt://127.0.0.1:${app.mqttPort}`, device)
  const attacker = await registerDevice(app.owner, 'attacker')
  const validConnect = connectPacket(attacker, 60)
  let sent = 0
  const attack = async (): Promise<void> => {
    while (sent < scale.packets) {
      const connect = Buffer.from(validConnect)
      if (random.oneIn(3)) connect[random.below(connect.length)] = random.below(256)
      const packets = Array.from({ length: 1 + random.below(4) }, () => invalidPacket(attacker, random))
      sent += packets.length
      const { socket, closed } = await openRaw(app.mqttPort)
      socket.end(Buffer.concat([connect, ...packets]))
      await closed
      socket.destroy()
    }
  }
  // Run several attackers, because the server delays responses to wrong secrets.
  await Promise.all(Array.from({ length: 8 }, attack))
  await otherDevice.publishAsync(`devices/${device.id}/attributes`, '{"site": "oslo"}', { qos: 1 })
  expect(otherDevice.connected).toBe(true)
  const found = () => app.owner.data(`{ login { device(id: "${device.id}") { online attributes } } }`)
  await expect.poll(async () => (await found()).login.device).toEqual([{ online: true, attributes: { site: 'oslo' } }])
  report({ packets: sent })
})
