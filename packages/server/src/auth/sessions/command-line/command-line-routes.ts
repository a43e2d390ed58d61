import { parsePublicKey } from '@muster/http-signature'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, badInput } from '../../../errors.ts'
import type { Requester } from '../../../graphql/run-operation.ts'
import { type JsonFields, parseJsonBody, readFields } from '../../../lib/json-fields.ts'
import { assertName } from '../../../lib/string-checks.ts'
import { limits } from '../../../limits.ts'
import type { Viewer } from '../../../viewer.ts'
import type { AuthDeps } from '../auth-call.ts'
import { originOf } from '../same-origin.ts'
import { findSessionGrant } from '../sessions.ts'
import { attemptSubject } from '../sign-in/attempt-limits.ts'
import { hashToken, newToken } from '../tokens.ts'
import {
  claimRequest,
  deleteRequest,
  insertRequest,
  isKnownRequest,
  type PolledRequest,
  pollRequest,
  writeKey,
} from './command-line.queries.ts'
import { newUserCode } from './user-code.ts'

export interface CommandLineRouteDeps extends AuthDeps {
  beforeRequest: (requester: Requester<Viewer>) => void
}

const EXPIRES_IN = 600
/** The minimum number of seconds between two polls. */
const INTERVAL = 5

interface Outcome {
  status: 200 | 202 | 410
  body: object
}

const pending: Outcome = { status: 202, body: { status: 'pending' } }
const denied: Outcome = { status: 410, body: { status: 'denied' } }
const expired: Outcome = { status: 410, body: { status: 'expired' } }

/** Registers the routes that `muster login` calls before it has credentials. */
export function registerCommandLineRoutes(scope: FastifyInstance, deps: CommandLineRouteDeps): void {
  scope.post('/auth/cli/start', async (request, reply) => {
    deps.beforeRequest({ request, reply, viewer: null })
    return start(deps, request, fieldsOf(request, ['publicKey', 'machine', 'port']))
  })
  scope.post('/auth/cli/poll', async (request, reply) => {
    deps.beforeRequest({ request, reply, viewer: null })
    const { status, body } = await poll(deps, fieldsOf(request, ['deviceCode', 'code']))
    return reply.code(status).send(body)
  })
}

const fieldsOf = ({ body }: FastifyRequest, names: readonly string[]): JsonFields =>
  readFields(parseJsonBody(Buffer.isBuffer(body) ? body : Buffer.alloc(0)), '', names)

async function start(deps: CommandLineRouteDeps, request: FastifyRequest, fields: JsonFields): Promise<object> {
  const { db, clock } = deps
  const [publicKey, machine, port] = [fields.text('publicKey'), fields.text('machine'), fields.optionalInteger('port')]
  const parsed = parsePublicKey(publicKey)
  if (!parsed.ok) throw badInput(`publicKey: ${parsed.message}`)
  assertName(machine, 'machine', limits.accessKeyNameLength)
  if (port !== undefined && (port < 1 || port > 65_535)) throw badInput(`port must be from 1 to 65535, not ${port}`)
  const address = deps.addressOf(request.raw)
  await deps.attempts.count([attemptSubject.commandLineStart(address)])
  const deviceCode = newToken()
  const id = hashToken(deviceCode).toString('hex')
  const expires = new Date(clock().getTime() + EXPIRES_IN * 1_000)
  const stored = { id, publicKey: parsed.base64, machine, address, port: port ?? null, expires }
  let userCode = newUserCode()
  while (!(await insertRequest(db, { ...stored, userCode }))) userCode = newUserCode()
  const page = `${originOf(request, deps.config.publicUrl)}/command-line`
  // No link contains the code that a person types, because an attacker could send such a link to another person.
  const verificationUrl = port === undefined ? page : `${page}#${id}`
  return { deviceCode, userCode, verificationUrl, expiresIn: EXPIRES_IN, interval: INTERVAL }
}

async function poll(deps: CommandLineRouteDeps, fields: JsonFields): Promise<Outcome> {
  const { db, clock } = deps
  const [id, code] = [hashToken(fields.text('deviceCode')).toString('hex'), fields.optionalText('code')]
  const now = clock()
  const request = await pollRequest(db, id, { now, before: new Date(now.getTime() - INTERVAL * 1_000) })
  if (request === undefined) {
    if (!(await isKnownRequest(db, id, now))) return expired
    throw new ApiError('RATE_LIMITED', `too many polls: wait at least ${INTERVAL} seconds between polls`, {
      retryAfter: INTERVAL,
    })
  }
  if (request.denied !== null) return denied
  if (request.accountId === null) return pending
  // The code from the redirect proves that the person who approved the request uses a browser on the machine that gets
  // the key.
  if (request.codeHash !== null && (code === undefined || !request.codeHash.equals(hashToken(code)))) return pending
  if (request.accessKey !== null) return { status: 200, body: { key: request.accessKey, account: request.accountId } }
  if (!(await claimRequest(db, id, now))) return pending
  return createKey(deps, request)
}

async function createKey(deps: CommandLineRouteDeps, request: PolledRequest): Promise<Outcome> {
  const { db } = deps
  const [accountId, personId, session] = [request.accountId!, request.personId!, request.sessionId!]
  const grant = await findSessionGrant(deps, { accountId, personId, session })
  if (grant === undefined) {
    await deleteRequest(db, request.id)
    return denied
  }
  try {
    const viewer: Viewer = { accountId, email: '', personId, session, readOnly: false, ...grant }
    const key = await deps.commandLineKeys.create(viewer, request)
    await writeKey(db, request.id, key)
    deps.onRecorded()
    return { status: 200, body: { key, account: accountId } }
  } catch (error) {
    await deleteRequest(db, request.id)
    throw error
  }
}
