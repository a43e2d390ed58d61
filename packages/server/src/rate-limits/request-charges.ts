import type { Viewer } from '../context.ts'
import type { OperationStart, Requester } from '../graphql/run-operation.ts'
import type { AddressOf } from '../http/client-address.ts'
import { pointsOfChanges, pointsOfObjects, REQUEST_POINTS } from './points.ts'
import { type Payer, payerAt, payerOf, type RateLimits } from './rate-limits.ts'
import { spend, tellLeft } from './spend.ts'

/** Charges requests, whichever way they come in. Each call may throw RATE_LIMITED. */
export interface RequestCharges {
  /** What a request costs whatever comes of it: as soon as it is known who asks. */
  chargeRequest(requester: Requester<Viewer>): void
  /** What an operation may cost besides; what is returned is given the answer's data, and gives back what was too much. */
  chargeOperation(start: OperationStart<Viewer>): ((data: unknown) => void) | undefined
}

export function createRequestCharges(limits: RateLimits, addressOf: AddressOf): RequestCharges {
  const payerFor = ({ request, viewer }: Pick<Requester<Viewer>, 'request' | 'viewer'>): Payer =>
    viewer === null ? payerAt(limits, addressOf(request.raw)) : payerOf(limits, viewer)

  return {
    chargeRequest: (requester) => spend(payerFor(requester), REQUEST_POINTS, requester.reply),
    chargeOperation(start) {
      const { operation, reply } = start
      const forObjects = pointsOfObjects(operation.objectCount)
      const forChanges = pointsOfChanges(operation)
      if (forObjects + forChanges === 0) return undefined
      const payer = payerFor(start)
      const { budget, subject } = payer
      // What may cost more than anybody has at once takes all there is, and the rest afterwards.
      const charged = Math.min(forObjects + forChanges, budget.policy.most - REQUEST_POINTS)
      try {
        spend(payer, charged, reply)
      } catch (error) {
        budget.give(subject, REQUEST_POINTS)
        throw error
      }
      if (forObjects === 0 && charged === forChanges) return undefined
      return (data) => {
        budget.give(subject, charged - forChanges - pointsOfObjects(operation.objectsIn(data)))
        tellLeft(payer, reply)
      }
    },
  }
}
