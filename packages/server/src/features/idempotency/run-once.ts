import type { FormattedExecutionResult } from 'graphql'
import type { ControlledTransaction } from 'kysely'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { userDatabase } from '../../db/fair/user-database.ts'
import type { DB } from '../../db/tables.generated.ts'
import { ApiError, limitExceeded } from '../../errors.ts'
import type { OperationStart, RunOnce } from '../../graphql/run-operation.ts'
import { textOf, withRawJson } from '../../graphql/values/raw-json.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import { limits } from '../../limits.ts'
import type { Viewer } from '../../viewer.ts'
import {
  countRecords,
  findRecord,
  type IdempotencyRecord,
  insertRecord,
  type KeyOfCaller,
  tryLockKey,
} from './idempotency.queries.ts'
import { assertCreates, fingerprintOf, isSameRequest, readIdempotencyKey } from './idempotency-key.ts'
import type { Created, Once } from './record-created.ts'

const RETENTION_MS = 24 * 3_600_000
/**
 * How long, in milliseconds, the count of an account's records is cached. Meanwhile, this process adds its own requests
 * to the cached count.
 */
const COUNT_CACHE_MS = 60_000
const MAX_CACHED_COUNTS = 1_000

export interface RunOnceDeps {
  db: Database
  clock: () => Date
}

/** draft-ietf-httpapi-idempotency-key-header-07 recommends 422 for a key that is reused with a different request. */
class KeyReusedError extends ApiError {
  override get status(): number {
    return 422
  }
}

export function createRunOnce(deps: RunOnceDeps): RunOnce<Viewer> {
  const counts = boundedMap<string, { at: number; count: number }>(MAX_CACHED_COUNTS)

  const assertBelowLimit = async (db: Database, accountId: string, now: Date): Promise<void> => {
    let cached = counts.get(accountId)
    if (cached === undefined || performance.now() - cached.at > COUNT_CACHE_MS) {
      cached = { at: performance.now(), count: await countRecords(db, accountId, now) }
      counts.set(accountId, cached)
    }
    cached.count += 1
    if (cached.count <= limits.idempotencyRecords) return
    const limit = limits.idempotencyRecords
    const message = `an account can use up to ${limit} Idempotency-Keys in 24 hours: retry when earlier keys are 24 hours old, or send the request without a key`
    throw limitExceeded(message, { limit, found: cached.count - 1 })
  }

  return async (start, { context, execute, fail }) => {
    const request = readRequest(start)
    const now = deps.clock()
    const db = userDatabase(deps.db, request.accountId)
    const earlier = await findRecord(db, request, now)
    if (earlier !== undefined) return replay(earlier, request)
    await assertBelowLimit(db, request.accountId, now)
    const transaction = openTransaction(db, request, now)
    try {
      const result = await execute(transaction.contextOf(context as Context))
      if (transaction.rejection !== undefined) throw transaction.rejection
      if (transaction.earlier !== undefined) return replay(transaction.earlier, request)
      if (result.errors !== undefined) return result
      return { data: await transaction.commit(result) }
    } catch (error) {
      if (error instanceof ApiError) throw error
      return fail(error)
    } finally {
      await transaction.end()
    }
  }
}

interface OnceRequest extends KeyOfCaller {
  fingerprint: Buffer
}

function readRequest({ request, viewer, operation }: OperationStart<Viewer>): OnceRequest {
  const key = readIdempotencyKey(request.headers['idempotency-key'] ?? '')
  assertCreates(operation)
  if (viewer === null) throw new Error('a mutation with an Idempotency-Key must have a viewer')
  const caller = viewer.accessKey ?? `session ${viewer.session}`
  return { accountId: viewer.accountId, caller, key, fingerprint: fingerprintOf(operation.request, viewer.reach) }
}

function replay(
  { fingerprint, kind, id, response }: IdempotencyRecord,
  request: OnceRequest,
): FormattedExecutionResult {
  if (!isSameRequest(fingerprint, request.fingerprint)) {
    const message = 'this Idempotency-Key was used with a different request: use a new key for each request'
    throw new KeyReusedError('BAD_USER_INPUT', message, { reason: 'idempotency-key-reused' })
  }
  const isSameReach = fingerprint.equals(request.fingerprint)
  if (response !== null && isSameReach) return { data: JSON.parse(response) }
  const reason = isSameReach
    ? `its response is not stored because it contains a secret or is too large: ${nextStep[kind as Created['kind']]}`
    : 'its response is not returned because the devices or attributes that you can access may have changed: read the object by its ID'
  const message = `this request has already created the ${kind} ${JSON.stringify(id)}, but ${reason}`
  throw new ApiError('CONFLICT', message, { reason: 'already-created', created: { kind, id } })
}

const nextStep: Record<Created['kind'], string> = {
  'bulk job': 'read the job by its ID',
  'access key': 'if you need the secret, delete the key and create another',
  device: 'if you need the secret, rotate it',
  invitation: 'if you need the link, resend the invitation',
  'registration code': 'if you need the code, delete it and create another',
  role: 'read the role by its ID',
  service: 'read the service by its ID',
  view: 'read the view by its ID',
  webhook: 'if you need the secret, rotate it',
}

/** Prepares a transaction, which begins when the use case calls `begin`. */
function openTransaction(db: Database, request: OnceRequest, now: Date) {
  let transaction: ControlledTransaction<DB> | undefined
  let created: Created | undefined
  const state: { earlier?: IdempotencyRecord; rejection?: ApiError } = {}

  const once: Once = {
    async begin() {
      transaction = await db.startTransaction().execute()
      if (!(await tryLockKey(transaction, request))) {
        const message = 'a request with this Idempotency-Key is still running: retry in 1 second'
        state.rejection = new ApiError('CONFLICT', message, { reason: 'still-running', retryAfter: 1 })
        throw state.rejection
      }
      const earlier = await findRecord(transaction, request, now)
      if (earlier !== undefined) {
        state.earlier = earlier
        throw new Error('another request with this Idempotency-Key has already created the object')
      }
      return transaction
    },
    recordCreated(object) {
      created = object
    },
  }

  return {
    get earlier() {
      return state.earlier
    },
    get rejection() {
      return state.rejection
    },
    /** After `begin`, `db` is the transaction, because the response must include the created object. */
    contextOf: (context: Context): Context =>
      Object.defineProperty({ ...context, once, chooseWorker: undefined }, 'db', {
        get: () => transaction ?? db,
        enumerable: true,
      }),
    /**
     * Records the Idempotency-Key and commits the transaction. Returns the data as parsed from its JSON, so that
     * repeats receive the same response.
     */
    async commit({ data }: FormattedExecutionResult): Promise<Record<string, unknown>> {
      if (transaction === undefined || created === undefined)
        throw new Error('a mutation that accepts an Idempotency-Key must create its object with createOnce')
      const text = textOf(withRawJson(data))
      const { kind, id, secret } = created
      const containsSecret = secret != null && text.includes(secret)
      const isStored = !containsSecret && text.length <= limits.idempotentResponseLength
      await insertRecord(transaction, request, {
        fingerprint: request.fingerprint,
        kind,
        id,
        response: isStored ? text : null,
        expires: new Date(now.getTime() + RETENTION_MS),
      })
      await transaction.commit().execute()
      return JSON.parse(text)
    },
    async end(): Promise<void> {
      if (transaction === undefined || transaction.isCommitted || transaction.isRolledBack) return
      // If the connection is lost, PostgreSQL rolls back the transaction.
      await transaction
        .rollback()
        .execute()
        .catch(() => {})
    },
  }
}
