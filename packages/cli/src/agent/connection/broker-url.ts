/** The URL of MQTT over WebSocket, on the host of the API: a proxy that passes the API on can pass this on too. */
export function brokerUrlOf(url: string): string {
  const broker = new URL(`${url.replace(/\/+$/, '')}/mqtt`)
  broker.protocol = broker.protocol === 'https:' ? 'wss:' : 'ws:'
  return broker.href
}
