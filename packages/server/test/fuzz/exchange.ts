import { connect } from 'node:net'

export interface RawResponse {
  /** Undefined if the connection failed or was closed without a response. */
  status: number | undefined
  text: string
}

/** Sends bytes and returns the response. With `ends`, closes the sending side of the connection. */
export function exchange(port: number, bytes: Buffer, { ends = false } = {}): Promise<RawResponse> {
  const { promise, resolve } = Promise.withResolvers<RawResponse>()
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  const isHead = bytes.subarray(0, 5).toString('latin1') === 'HEAD '
  let text = ''
  const finish = (): void => {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
    resolve({ status: status === undefined ? undefined : Number(status), text })
    // Reset the connection, because hundreds of thousands of connections in TIME_WAIT would use up the ports.
    socket.resetAndDestroy()
  }
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    if (isComplete(text, isHead)) finish()
  })
  socket.on('error', () => {})
  socket.on('close', finish)
  if (ends) socket.end(bytes)
  else socket.write(bytes)
  return promise
}

function isComplete(text: string, isHead: boolean): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  if (length !== undefined) return isHead || text.length >= end + 4 + Number(length)
  return /\r\ntransfer-encoding: chunked/i.test(text.slice(0, end)) && (isHead || text.endsWith('0\r\n\r\n'))
}
