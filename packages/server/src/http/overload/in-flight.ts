import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSlot } from '../../lib/slot.ts'
import { onceResponseEnds } from '../responses/response-end.ts'

/** A request is in flight from the arrival of its body until its response is sent or its connection closes. */
export interface InFlight {
  readonly total: number
  readonly callers: number
  of(caller: string): number
  has(request: FastifyRequest): boolean
  callerOf(request: FastifyRequest): string | undefined
  add(request: FastifyRequest, reply: FastifyReply, caller: string): void
  move(request: FastifyRequest, caller: string): void
}

/** `onChange` receives the new number of requests in flight. */
export function createInFlight(onChange: (total: number) => void): InFlight {
  const callerOf = createSlot<FastifyRequest, string | undefined>('caller')
  let total = 0
  const counts = new Map<string, number>()

  const change = (caller: string, by: 1 | -1): void => {
    const count = (counts.get(caller) ?? 0) + by
    if (count === 0) counts.delete(caller)
    else counts.set(caller, count)
  }

  const remove = (request: FastifyRequest): void => {
    const caller = callerOf.get(request)
    if (caller === undefined) return
    callerOf.set(request, undefined)
    change(caller, -1)
    onChange(--total)
  }

  return {
    get total() {
      return total
    },
    get callers() {
      return counts.size
    },
    of: (caller) => counts.get(caller) ?? 0,
    has: (request) => callerOf.get(request) !== undefined,
    callerOf: (request) => callerOf.get(request),
    add(request, reply, caller) {
      callerOf.set(request, caller)
      change(caller, 1)
      onChange(++total)
      onceResponseEnds(reply, () => remove(request))
    },
    move(request, caller) {
      const previous = callerOf.get(request)
      if (previous === undefined || previous === caller) return
      change(previous, -1)
      change(caller, 1)
      callerOf.set(request, caller)
    },
  }
}
