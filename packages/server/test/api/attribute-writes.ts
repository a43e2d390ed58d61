import { connectMqtt } from '../clients/mqtt-device.ts'
import type { TestApp, TestUser } from '../harness/app.ts'
import { type Gate, setOne } from './value-times.ts'

interface Writer {
  app: Pick<TestApp, 'mqttPort'>
  user: TestUser
  device: Gate
  /** The ID of the device, service, or user whose attribute is set. */
  target: string
}

interface AttributeWrite {
  target: 'device' | 'service' | 'user'
  /** The attribute's name. The default is `load`. */
  name?: string
  context?: string
  write(writer: Writer, value: string): Promise<unknown>
}

const setMany = ({ user }: Writer, targets: string[], value: string, more = {}) =>
  user.data('mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }', {
    items: targets.map((target) => ({ serviceId: target, attributes: { load: value, other: value }, ...more })),
  })

const setNamed =
  (name: string, context?: string): AttributeWrite['write'] =>
  ({ user, target }, value) =>
    setOne(user, target, [name, value], context)

export const attributeWrites: Record<string, AttributeWrite> = {
  'setAttribute of a device': { target: 'device', write: setNamed('load') },
  'setAttribute of a group': { target: 'device', name: 'net.rate', write: setNamed('net.rate') },
  'setAttribute of a service': { target: 'service', write: setNamed('load') },
  'setAttribute of the user': { target: 'user', write: setNamed('load') },
  'setAttribute of a reserved name': { target: 'device', name: '$svc.statusB', write: setNamed('$svc.statusB') },
  'setAttribute in a context': { target: 'device', context: 'night', write: setNamed('load', 'night') },
  'several setAttribute mutations at the same time': {
    target: 'device',
    write: ({ user, target }, value) =>
      Promise.all(['load', 'a', 'b', 'c'].map((name) => setOne(user, target, [name, value]))),
  },
  setAttributes: {
    target: 'device',
    write: ({ user, target }, value) =>
      user.data(
        'mutation ($id: String!, $attributes: Object!) { setAttributes(serviceId: $id, attributes: $attributes) }',
        { id: target, attributes: { load: value, $svc: { statusA: value } } },
      ),
  },
  setAttributesMany: {
    target: 'service',
    write: (writer, value) => setMany(writer, [writer.device.id, writer.device.service, writer.user.accountId], value),
  },
  'setAttributesMany in a context': {
    target: 'device',
    context: 'night',
    write: (writer, value) => setMany(writer, [writer.device.id, writer.device.service], value, { context: 'night' }),
  },
  'a report over MQTT': {
    target: 'device',
    write: async ({ app, device: { id, secret } }, value) => {
      const client = await connectMqtt(`mqtt://127.0.0.1:${app.mqttPort}`, { id, secret })
      await client.publishAsync(`devices/${id}/attributes`, JSON.stringify({ load: value }), { qos: 1 })
      await client.endAsync()
    },
  },
}
