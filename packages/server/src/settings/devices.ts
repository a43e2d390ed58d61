import { setting } from './setting.ts'
import { integer } from './values.ts'

/** How devices connect and report. */
export const deviceSettings = {
  presenceHold: setting({
    name: 'MUSTER_PRESENCE_HOLD',
    meaning: 'Seconds for which a device that lost its connection may come back before it is inactive.',
    default: '5',
    parse: (text) => integer(text ?? '5', 0, 3_600) * 1_000,
  }),
  deviceMessages: setting({
    name: 'MUSTER_DEVICE_MESSAGES',
    meaning: 'Reports and publications that a device may send at once, to each server process.',
    default: '500',
    parse: (text) => integer(text ?? '500', 1, 1_000_000_000),
  }),
  deviceMessagesPerSecond: setting({
    name: 'MUSTER_DEVICE_MESSAGES_PER_SECOND',
    meaning: 'Reports and publications that a device may go on sending each second.',
    default: '50',
    parse: (text) => integer(text ?? '50', 1, 1_000_000_000),
  }),
  mqttPort: setting({
    name: 'MUSTER_MQTT_PORT',
    meaning:
      'TCP port of HOST to serve MQTT on; 0 for none. Where it is taken the server starts without it, and the log says so. The WebSocket at /mqtt is served in any case.',
    default: '1883',
    parse: (text) => integer(text ?? '1883', 0, 65_535),
  }),
  mqttTlsCert: setting({
    name: 'MUSTER_MQTT_TLS_CERT',
    meaning:
      'File of the certificate, with its chain, as PEM: MUSTER_MQTT_PORT then speaks TLS only. Read again like MUSTER_TLS_CERT.',
    default: 'not set',
    parse: (text) => text,
  }),
  mqttTlsKey: setting({
    name: 'MUSTER_MQTT_TLS_KEY',
    meaning: 'File of the private key of MUSTER_MQTT_TLS_CERT, as PEM.',
    default: 'not set',
    parse: (text) => text,
  }),
  mqttConnections: setting({
    name: 'MUSTER_MQTT_CONNECTIONS',
    meaning: 'MQTT connections at most, for each server process; the limit of open files must be above it.',
    default: '20000',
    parse: (text) => integer(text ?? '20000', 1, 1_000_000),
  }),
  mqttSigningOn: setting({
    name: 'MUSTER_MQTT_SIGNING_ON',
    meaning: 'MQTT connections at most that have not signed on yet, for each address.',
    default: '1000',
    parse: (text) => integer(text ?? '1000', 1, 1_000_000),
  }),
}
