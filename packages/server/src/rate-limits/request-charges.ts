import type { Viewer } from '../context.ts'
import type { OperationStart, Requester } from '../graphql/run-operation.ts'
import type { AddressOf } from '../http/client-address.ts'
import { OBJECTS_PER_POINT, pointsOfChanges, pointsOfObjects, pointsOfRefused, REQUEST_POINTS } from './points.ts'
import { type Payer, payerAt, payerOf, type RateLimits } from './rate-limits.ts'
import { leftFields, spend, spendInTime } from './spend.ts'

/** Charges requests, whichever way they come in. What charges before something is done may throw RATE_LIMITED. */
export interface RequestCharges {
  /** What a request costs whatever comes of it: as soon as it is known who asks. */
  chargeRequest(requester: Requester<Viewer>): void
  /** What a request costs that is refused for what it asks for, by the bytes that were read: taken though it be not there, for it has been done. */
  chargeRefused(requester: Requester<Viewer>, bytes: number): void
  /**
   * What an operation may cost besides; what is returned is given the data that was read, and gives back what was too much. Nothing
   * where it is not known what was read (undefined): a field that fails ends the answer, not the reading of those beside it.
   */
  chargeOperation(start: OperationStart<Viewer>): ((read: unknown) => void) | undefined
  /** For a stream: told of each event that it sends, and resolves once there are points for the next. */
  chargeEvents(requester: Requester<Viewer>): () => Promise<void> | undefined
}

export function createRequestCharges(limits: RateLimits, addressOf: AddressOf): RequestCharges {
  const payerFor = ({ request, viewer }: Pick<Requester<Viewer>, 'request' | 'viewer'>): Payer =>
    viewer === null ? payerAt(limits, addressOf(request.raw)) : payerOf(limits, viewer)

  return {
    chargeRequest: (requester) => spend(payerFor(requester), REQUEST_POINTS, requester.reply),
    chargeRefused(requester, bytes) {
      const points = pointsOfRefused(bytes)
      if (points === 0) return
      const payer = payerFor(requester)
      payer.budget.give(payer.subject, -points)
      requester.reply.headers(leftFields(payer))
    },
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
      return (read) => {
        if (read !== undefined) {
          budget.give(subject, charged - forChanges - pointsOfObjects(operation.objectsIn(read)))
        }
        reply.headers(leftFields(payer))
      }
    },
    chargeEvents(requester) {
      const payer = payerFor(requester)
      let sent = 0
      return () =>
        ++sent % OBJECTS_PER_POINT === 0 ? spendInTime(payer, pointsOfObjects(OBJECTS_PER_POINT)) : undefined
    },
  }
}
