import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

interface Progress {
  sent: number
  checks: number
}

/** The number of checks of each connection within `limitMs`. */
const CHECKS = 10

/**
 * Closes connections whose client reads nothing of a pending response, stream, or download for `limitMs`
 * milliseconds.
 */
export function closeSlowReaders(app: FastifyInstance, limitMs: number): void {
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
      const isStalled = socket.writableLength > 0 && sent === progress.sent
      progress.checks = isStalled ? progress.checks + 1 : 0
      progress.sent = sent
      if (progress.checks >= CHECKS) socket.destroy()
    }
  }

  const timer = setInterval(check, limitMs / CHECKS).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
