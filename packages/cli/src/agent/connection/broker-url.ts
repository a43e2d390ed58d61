/**
 * The default broker: MQTT over WebSocket on the host of the API, because a proxy that forwards the API can also
 * forward it.
 */
export function brokerUrlOf(url: string): string {
  const broker = new URL(`${url.replace(/\/+$/, '')}/mqtt`)
  broker.protocol = broker.protocol === 'https:' ? 'wss:' : 'ws:'
  return broker.href
}
