import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

const openResponses = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls `end` once the last byte of a response is handed to the operating system, or its connection has closed. A response that waits
 * behind another one of its connection (pipelining) emits no event when the connection closes, hence the second listener.
 */
export function onceResponseEnds({ raw, request }: FastifyReply, end: () => void): void {
  const { socket } = request.raw
  if (raw.destroyed || socket.destroyed) {
    end()
    return
  }
  let ofSocket = openResponses.get(socket)
  if (ofSocket === undefined) {
    const opened = new Set<() => void>()
    socket.once('close', () => {
      for (const each of opened) each()
      opened.clear()
    })
    openResponses.set(socket, opened)
    ofSocket = opened
  }
  const responses = ofSocket
  responses.add(end)
  raw.once('close', () => {
    if (responses.delete(end)) end()
  })
}
