import { optionalSetting, setting } from './setting.ts'
import { integer } from './values.ts'

export const deviceSettings = {
  presenceGrace: setting({
    name: 'MUSTER_PRESENCE_HOLD',
    meaning: 'Grace period: seconds that a disconnected device has to reconnect before it becomes inactive.',
    default: '5',
    parse: (text) => integer(text ?? '5', 0, 3_600, 'seconds') * 1_000,
  }),
  deviceMessages: setting({
    name: 'MUSTER_DEVICE_MESSAGES',
    meaning:
      'Number of HTTP reports and MQTT publications that a device can send to a server process in a burst. Above this number, reports fail with RATE_LIMITED, and publications are delayed.',
    default: '500',
    parse: (text) => integer(text ?? '500', 1, 1_000_000_000),
  }),
  deviceMessagesPerSecond: setting({
    name: 'MUSTER_DEVICE_MESSAGES_PER_SECOND',
    meaning:
      'Number of HTTP reports and MQTT publications that a device can send to a server process per second, on average.',
    default: '50',
    parse: (text) => integer(text ?? '50', 1, 1_000_000_000),
  }),
  mqttPort: setting({
    name: 'MUSTER_MQTT_PORT',
    meaning:
      'TCP port on HOST for MQTT. 0: no port. If the server cannot listen on the port, it logs an error and starts anyway. WebSocket connections to /mqtt do not need this port.',
    default: '1883',
    parse: (text) => integer(text ?? '1883', 0, 65_535),
  }),
  mqttTlsCert: optionalSetting({
    name: 'MUSTER_MQTT_TLS_CERT',
    meaning:
      'PEM file with the TLS certificate and its chain, for MUSTER_MQTT_PORT. With this setting, the port accepts only TLS connections. Requires MUSTER_MQTT_TLS_KEY. The server reloads the file in the same way as MUSTER_TLS_CERT.',
    parse: (text) => text,
  }),
  mqttTlsKey: optionalSetting({
    name: 'MUSTER_MQTT_TLS_KEY',
    meaning: 'PEM file with the private key of the certificate in MUSTER_MQTT_TLS_CERT. Requires MUSTER_MQTT_TLS_CERT.',
    parse: (text) => text,
  }),
  mqttConnections: setting({
    name: 'MUSTER_MQTT_CONNECTIONS',
    meaning:
      'Maximum number of MQTT connections, including those over WebSocket, to each server process. The server closes further connections immediately. The open-file limit must be above the sum of this number and MUSTER_HTTP_CONNECTIONS.',
    default: '20000',
    parse: (text) => integer(text ?? '20000', 1, 1_000_000),
  }),
  mqttSigningOn: setting({
    name: 'MUSTER_MQTT_SIGNING_ON',
    meaning:
      'Maximum number of unauthenticated MQTT connections per client address (per /64 for IPv6) to each server process. The server closes further connections immediately.',
    default: '1000',
    parse: (text) => integer(text ?? '1000', 1, 1_000_000),
  }),
}
