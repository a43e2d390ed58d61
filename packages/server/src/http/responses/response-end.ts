import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSlot } from '../../lib/slot.ts'

type Ends = (() => void)[]

const endsOf = createSlot<FastifyRequest, Ends>('ends')
const openResponses = new WeakMap<Socket, Set<Ends>>()

/** Checks the socket too, because a pipelined response that waits for another one is not destroyed with the socket. */
export const hasClientLeft = ({ raw, request }: FastifyReply): boolean => raw.destroyed || request.raw.socket.destroyed

/**
 * Calls `end` once the response has been sent or the connection has closed. The socket needs its own listener, because
 * a pipelined response that waits for another response emits no event when the connection closes.
 */
export function onceResponseEnds(reply: FastifyReply, end: () => void): void {
  if (hasClientLeft(reply)) {
    end()
    return
  }
  const { raw, request } = reply
  const registered = endsOf.get(request)
  if (registered !== undefined) {
    registered.push(end)
    return
  }
  const ends = [end]
  endsOf.set(request, ends)
  const responses = responsesOn(request.raw.socket)
  responses.add(ends)
  raw.once('close', () => {
    if (responses.delete(ends)) callAll(ends)
  })
}

function responsesOn(socket: Socket): Set<Ends> {
  const known = openResponses.get(socket)
  if (known !== undefined) return known
  const responses = new Set<Ends>()
  openResponses.set(socket, responses)
  socket.once('close', () => {
    for (const ends of responses) callAll(ends)
    responses.clear()
  })
  return responses
}

function callAll(ends: Ends): void {
  for (const end of ends) end()
}
