import { limitExceeded } from '../errors.ts'
import { rowMeterOf, startRowMeter } from '../graphql/cost/row-meter.ts'
import { type AccountSize, MANY_ROWS, type RowCount } from '../graphql/cost/scanned-row-estimate.ts'
import type { AfterOperation, OperationStart, Requester } from '../graphql/run-operation.ts'
import type { AddressOf } from '../lib/client-address.ts'
import { limits as apiLimits } from '../limits.ts'
import type { Viewer } from '../viewer.ts'
import type { AccountSizes } from './account-sizes.ts'
import {
  OBJECTS_PER_POINT,
  pointsOfChanges,
  pointsOfObjects,
  pointsOfRejected,
  pointsOfRows,
  REQUEST_POINTS,
} from './point-prices.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'
import { type Payer, payerOf, payerOfAddress, type RateLimits } from './rate-limits.ts'
import { spend, spendWhenAvailable } from './spend-points.ts'
import { bytesOfMutations } from './storage-quotas.ts'

/** Charges GraphQL, REST, and sign-in requests. Functions that charge before the work starts may throw RATE_LIMITED. */
export interface RequestCharges {
  /** Charges one point. Must be called as soon as the caller is known. */
  chargeRequest(requester: Requester<Viewer>): void
  /** Charges a rejected request by its length in bytes. The balance may become negative. */
  chargeRejected(requester: Requester<Viewer>, bytes: number): void
  /**
   * Before an operation runs, charges its maximum additional cost, up to the quota's capacity. Throws LIMIT_EXCEEDED if
   * the operation has too many walking fields. The returned function refunds unused points, or charges the rest of the
   * cost. Call it after the operation with the data that was read, or with undefined if a field failed. A failed
   * operation gets a refund only for rows, because other fields may have read objects that are not in the response.
   */
  chargeOperation(start: OperationStart<Viewer>): AfterOperation | Promise<AfterOperation>
  /**
   * Call the returned function after each event. If it returns a promise, wait for the promise before the next event.
   * The promise resolves once the points for the events have been charged.
   */
  chargeEvents(requester: Requester<Viewer>): () => Promise<void> | undefined
}

/** An account size so large that every operation that may read additional rows has a row cost. */
const EVERY_ROW: AccountSize = { devices: Number.POSITIVE_INFINITY, events: Number.POSITIVE_INFINITY }

/**
 * Returns whether the caller is restricted to some devices. Such a caller can cause reads that the server cannot
 * estimate, such as those for suggestions in errors.
 */
const isRestricted = (viewer: Viewer | null): boolean => viewer?.reach?.devices !== undefined

/** Adds the caller's restriction to the size, because a restricted list may read more rows than it returns. */
const sizeFor = (viewer: Viewer, size: AccountSize): AccountSize =>
  isRestricted(viewer) ? { ...size, restriction: viewer.reach! } : size

export function createRequestCharges(limits: RateLimits, addressOf: AddressOf, sizes: AccountSizes): RequestCharges {
  const payerFor = ({ request, viewer }: Pick<Requester<Viewer>, 'request' | 'viewer'>): Payer =>
    viewer === null ? payerOfAddress(limits, addressOf(request.raw)) : payerOf(limits, viewer)

  const charge = (start: OperationStart<Viewer>, rows: number): AfterOperation => {
    const { operation, request, reply, viewer } = start
    // A mutation with a read-only key is rejected and stores nothing.
    if (operation.kind === 'mutation' && viewer?.readOnly === false)
      limits.storage.chargeAccount(viewer.accountId, bytesOfMutations(operation.rootFields()))
    const forObjects = pointsOfObjects(operation.objectCount)
    const forRows = pointsOfRows(rows)
    const forChanges = pointsOfChanges(operation)
    const sum = forObjects + forRows + forChanges
    const isMetered = isRestricted(viewer)
    if (sum === 0 && !isMetered) return undefined
    const payer = payerFor(start)
    const { budget, subject } = payer
    // If an operation may cost more than the capacity, the server first charges only what a full budget can pay. It
    // charges the rest afterward.
    const charged = Math.min(sum, budget.policy.capacity - REQUEST_POINTS)
    try {
      spend(payer, charged, reply, true)
    } catch (error) {
      budget.give(subject, REQUEST_POINTS)
      throw error
    }
    if (forObjects + forRows === 0 && charged === forChanges && !isMetered) return undefined
    return (read) => {
      const metered = pointsOfRows(rowMeterOf(request).rows)
      const rowPoints = isMetered ? metered : Math.min(forRows, metered)
      if (read === undefined) budget.give(subject, Math.min(charged, forRows - rowPoints))
      else budget.give(subject, charged - forChanges - rowPoints - pointsOfObjects(operation.objectsIn(read)))
      reply.headers(rateLimitHeaders(payer))
    }
  }

  const chargeRows = (start: OperationStart<Viewer>, size: AccountSize): AfterOperation => {
    const counted = start.operation.countRows(size)
    try {
      assertFewWalkingFields(counted)
    } catch (error) {
      chargeAfterward(start, pointsOfRows(counted.walkingFields * MANY_ROWS))
      throw error
    }
    if (counted.rows > 0 || isRestricted(start.viewer)) startRowMeter(start.request, size)
    return charge(start, counted.rows)
  }

  /** Takes points for work that is already done. The balance may become negative. */
  const chargeAfterward = (requester: Requester<Viewer>, points: number): void => {
    const payer = payerFor(requester)
    payer.budget.give(payer.subject, -points)
    requester.reply.headers(rateLimitHeaders(payer))
  }

  return {
    chargeRequest: (requester) => spend(payerFor(requester), REQUEST_POINTS, requester.reply),
    chargeRejected(requester, bytes) {
      const points = pointsOfRejected(bytes)
      if (points > 0) chargeAfterward(requester, points)
    },
    chargeOperation(start) {
      const { viewer, operation } = start
      if (viewer === null || (!operation.mayReadRows && !isRestricted(viewer))) return charge(start, 0)
      const known = sizes.known(viewer.accountId)
      if (known !== undefined) return chargeRows(start, sizeFor(viewer, known))
      if (!isRestricted(viewer) && operation.countRows(EVERY_ROW).rows === 0) return charge(start, 0)
      return sizes.read(viewer.accountId).then(
        (size) => chargeRows(start, sizeFor(viewer, size)),
        // The operation itself will report that the database is unavailable.
        () => charge(start, 0),
      )
    },
    chargeEvents(requester) {
      const payer = payerFor(requester)
      let sent = 0
      return () =>
        ++sent % OBJECTS_PER_POINT === 0 ? spendWhenAvailable(payer, pointsOfObjects(OBJECTS_PER_POINT)) : undefined
    },
  }
}

function assertFewWalkingFields({ walkingFields: found, walkingField }: RowCount): void {
  const limit = apiLimits.walkingFields
  const first = found > limit ? walkingField(limit) : undefined
  if (first === undefined) return
  const { path, line, column } = first
  throw limitExceeded(
    `an operation can contain at most ${limit} fields that may read ${MANY_ROWS} or more records without returning them, ` +
      `found ${found}: ${path} at line ${line}, column ${column} is over the limit. Split the operation, or filter and sort by indexed fields`,
    { limit, found },
  )
}
