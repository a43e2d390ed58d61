/** Where the server takes MQTT over WebSocket: beside its API, so that whatever proxy lets one through lets the other. */
export function brokerUrlOf(url: string): string {
  const broker = new URL(`${url.replace(/\/+$/, '')}/mqtt`)
  broker.protocol = broker.protocol === 'https:' ? 'wss:' : 'ws:'
  return broker.href
}
