import { once } from 'node:events'
import { createConnection } from 'node:net'

/** A connection with one request under way at a time. It does little for it: what is measured beside it needs the processor. */
export interface Connection {
  /** Resolves with the status once the whole answer is there. */
  ask(request: Buffer): Promise<number>
  close(): void
}

export async function openConnection(url: URL): Promise<Connection> {
  const socket = createConnection({ host: url.hostname, port: Number(url.port), noDelay: true })
  await once(socket, 'connect')
  const nothing = Buffer.alloc(0)
  let asked: PromiseWithResolvers<number> | undefined
  let answer = nothing
  const failed = (error: Error): void => {
    asked?.reject(error)
    asked = undefined
  }
  socket.on('data', (part) => {
    answer = answer.length === 0 ? part : Buffer.concat([answer, part])
    if (!isWhole(answer)) return
    const status = Number(answer.toString('latin1', 'HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    answer = nothing
    const { resolve } = asked!
    asked = undefined
    resolve(status)
  })
  socket.on('error', failed)
  socket.on('close', () => failed(new Error('the connection was closed')))
  return {
    ask(request) {
      asked = Promise.withResolvers()
      const { promise } = asked
      if (socket.destroyed) failed(new Error('the connection was closed'))
      else socket.write(request)
      return promise
    },
    close: () => void socket.destroy(),
  }
}

/** Every answer to what is asked here says how long it is. */
function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, end))
  return answer.length >= end + 4 + Number(length![1])
}
