import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

export interface SlowReaderOptions {
  /** A connection that reads nothing for this long is closed. */
  limitMs: number
  onClosed?: (() => void) | undefined
}

interface Progress {
  /** Bytes that the operating system has taken. */
  sent: number
  /** Checks without progress. */
  checks: number
}

/** How often each connection is looked at in that time. */
const CHECKS = 10

/** Closes connections whose client reads nothing of a response that is waiting: streams and downloads as well. */
export function closeSlowReaders(app: FastifyInstance, { limitMs, onClosed }: SlowReaderOptions): void {
  const connections = new Map<Socket, Progress>()

  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    if (!connections.has(socket) && !socket.destroyed) {
      connections.set(socket, { sent: 0, checks: 0 })
      socket.once('close', () => connections.delete(socket))
    }
    done()
  })

  const check = (): void => {
    for (const [socket, progress] of connections) {
      const sent = socket.bytesWritten - socket.writableLength
      const isWaiting = socket.writableLength > 0 && sent === progress.sent
      progress.checks = isWaiting ? progress.checks + 1 : 0
      progress.sent = sent
      if (progress.checks < CHECKS) continue
      socket.destroy()
      onClosed?.()
    }
  }

  const timer = setInterval(check, limitMs / CHECKS).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
