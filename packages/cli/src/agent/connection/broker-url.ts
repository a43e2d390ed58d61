/** A proxy that forwards the API can also forward WebSocket connections. */
export function brokerUrlOf(url: string): string {
  const broker = new URL(`${url.replace(/\/+$/, '')}/mqtt`)
  broker.protocol = broker.protocol === 'https:' ? 'wss:' : 'ws:'
  return broker.href
}
