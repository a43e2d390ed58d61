import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSlot } from '../../lib/slot.ts'

type Ends = (() => void)[]

const endsOf = createSlot<FastifyRequest, Ends>('ends')
const openResponses = createSlot<Socket, Ends[]>('open responses')

/** Checks the socket too, because a pipelined response that waits for another one is not destroyed with the socket. */
export const hasClientLeft = ({ raw, request }: FastifyReply): boolean => raw.destroyed || request.raw.socket.destroyed

/** Calls `end` once the response has been sent or the connection has closed. */
export function onceResponseEnds(reply: FastifyReply, end: () => void): void {
  if (hasClientLeft(reply)) return void end()
  const { raw, request } = reply
  const registered = endsOf.get(request)
  if (registered !== undefined) return void registered.push(end)
  const ends = [end]
  endsOf.set(request, ends)
  const responses = responsesOn(request.raw.socket)
  responses.push(ends)
  raw.on('close', () => {
    const index = responses.indexOf(ends)
    if (index === -1) return
    responses.splice(index, 1)
    callAll(ends)
  })
}

/**
 * Returns the callbacks of the open responses on the socket. They are in an array. A Set would replace its table
 * again and again, and each replaced table refers to the next one. If one of the tables is in the old generation, minor
 * garbage collections do not free the later ones.
 */
function responsesOn(socket: Socket): Ends[] {
  const known = openResponses.get(socket)
  if (known !== undefined) return known
  const responses: Ends[] = []
  openResponses.set(socket, responses)
  // A pipelined response that waits for another response emits no event when the connection closes.
  socket.once('close', () => {
    for (const ends of responses.splice(0)) callAll(ends)
  })
  return responses
}

function callAll(ends: Ends): void {
  for (const end of ends) end()
}
