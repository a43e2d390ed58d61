/**
 * Returns the URL for MQTT over WebSocket on the API's host. A proxy that forwards API requests can also forward this
 * connection.
 */
export function brokerUrlOf(url: string): string {
  const broker = new URL(`${url.replace(/\/+$/, '')}/mqtt`)
  broker.protocol = broker.protocol === 'https:' ? 'wss:' : 'ws:'
  return broker.href
}
