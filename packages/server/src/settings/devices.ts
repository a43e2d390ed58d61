import { setting } from './setting.ts'
import { integer } from './values.ts'

export const deviceSettings = {
  presenceGrace: setting({
    name: 'MUSTER_PRESENCE_HOLD',
    meaning: 'Grace period: seconds that a disconnected device has to reconnect before it becomes inactive.',
    default: '5',
    parse: (text) => integer(text ?? '5', 0, 3_600) * 1_000,
  }),
  deviceMessages: setting({
    name: 'MUSTER_DEVICE_MESSAGES',
    meaning: 'Number of reports and publications that a device can send in a burst, to each server process.',
    default: '500',
    parse: (text) => integer(text ?? '500', 1, 1_000_000_000),
  }),
  deviceMessagesPerSecond: setting({
    name: 'MUSTER_DEVICE_MESSAGES_PER_SECOND',
    meaning: 'Average number of reports and publications that a device can send per second, to each server process.',
    default: '50',
    parse: (text) => integer(text ?? '50', 1, 1_000_000_000),
  }),
  mqttPort: setting({
    name: 'MUSTER_MQTT_PORT',
    meaning:
      'TCP port on HOST for MQTT. 0: no port. If the port is in use, the server logs an error and starts without this port. WebSocket connections to /mqtt always work.',
    default: '1883',
    parse: (text) => integer(text ?? '1883', 0, 65_535),
  }),
  mqttTlsCert: setting({
    name: 'MUSTER_MQTT_TLS_CERT',
    meaning:
      'PEM file with the certificate and its chain. MUSTER_MQTT_PORT then accepts TLS only. The server reloads the file in the same way as MUSTER_TLS_CERT.',
    default: 'not set',
    parse: (text) => text,
  }),
  mqttTlsKey: setting({
    name: 'MUSTER_MQTT_TLS_KEY',
    meaning: 'PEM file with the private key of MUSTER_MQTT_TLS_CERT.',
    default: 'not set',
    parse: (text) => text,
  }),
  mqttConnections: setting({
    name: 'MUSTER_MQTT_CONNECTIONS',
    meaning: 'Maximum number of MQTT connections per server process. The open-file limit must be higher.',
    default: '20000',
    parse: (text) => integer(text ?? '20000', 1, 1_000_000),
  }),
  mqttSigningOn: setting({
    name: 'MUSTER_MQTT_SIGNING_ON',
    meaning:
      'Maximum number of unauthenticated MQTT connections per address (per /64 for IPv6) to each server process.',
    default: '1000',
    parse: (text) => integer(text ?? '1000', 1, 1_000_000),
  }),
}
