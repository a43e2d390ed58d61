import { once } from 'node:events'
import { createConnection } from 'node:net'

/** A connection that does little work, because the server needs the CPU. */
export interface Connection {
  send(request: Buffer): Promise<number>
  close(): void
}

export async function openConnection(url: URL): Promise<Connection> {
  const socket = createConnection({ host: url.hostname, port: Number(url.port), noDelay: true })
  await once(socket, 'connect')
  const nothing: Buffer = Buffer.alloc(0)
  let pending: PromiseWithResolvers<number> | undefined
  let response = nothing
  const failed = (error: Error): void => {
    pending?.reject(error)
    pending = undefined
  }
  socket.on('data', (part: Buffer) => {
    response = response.length === 0 ? part : Buffer.concat([response, part])
    if (!isComplete(response)) return
    const status = Number(response.toString('latin1', 'HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    response = nothing
    const { resolve } = pending!
    pending = undefined
    resolve(status)
  })
  socket.on('error', failed)
  socket.on('close', () => failed(new Error('the connection was closed')))
  return {
    send(request) {
      pending = Promise.withResolvers()
      const { promise } = pending
      if (socket.destroyed) failed(new Error('the connection was closed'))
      else socket.write(request)
      return promise
    },
    close: () => void socket.destroy(),
  }
}

/** Returns whether a response is complete. All responses in this test include a Content-Length. */
function isComplete(response: Buffer): boolean {
  const end = response.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(response.toString('latin1', 0, end))
  return response.length >= end + 4 + Number(length![1])
}
