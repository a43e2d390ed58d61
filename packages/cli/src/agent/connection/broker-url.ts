/** WebSocket on the API host, which a proxy that forwards the API can also forward. */
export function brokerUrlOf(url: string): string {
  const broker = new URL(`${url.replace(/\/+$/, '')}/mqtt`)
  broker.protocol = broker.protocol === 'https:' ? 'wss:' : 'ws:'
  return broker.href
}
