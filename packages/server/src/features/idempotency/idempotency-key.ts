import { createHash } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import type { OperationRequest, PreparedOperation } from '../../graphql/prepare-operation.ts'
import { limits } from '../../limits.ts'
import type { Reach } from '../../restriction.ts'

/** The mutations that create an object and therefore accept an Idempotency-Key. */
const creatingMutations: ReadonlySet<string> = new Set([
  'addService',
  'createAccessKey',
  'createBulk',
  'createInvitation',
  'createRegistrationCode',
  'createRole',
  'createView',
  'createWebhook',
  'registerDevice',
  'retryBulk',
  'rotateAccessKey',
  'runBulk',
  'undoBulk',
])

/** A string (RFC 9651 §3.3.3): printable ASCII in double quotes, with a backslash before each quote or backslash. */
const structuredString = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/** Parses the header as draft-ietf-httpapi-idempotency-key-header-07 §2.1 defines it. */
export function readIdempotencyKey(header: string | readonly string[]): string {
  const [, quoted] = structuredString.exec(String(header).trim()) ?? []
  if (quoted === undefined)
    throw invalidKey(
      'must be one string of printable ASCII characters in double quotes, such as "8e03978e-40d5-43e8-bc93-6894a57f9324"',
    )
  const key = quoted.replace(/\\(.)/g, '$1')
  if (key.length === 0 || key.length > limits.idempotencyKeyLength)
    throw invalidKey(`must have 1 to ${limits.idempotencyKeyLength} characters, found ${key.length}`)
  return key
}

export function assertCreates(operation: PreparedOperation): void {
  const fields = operation.rootFields()
  const [field] = fields
  if (fields.length === 1 && field !== undefined && creatingMutations.has(field.name)) return
  const names = [...creatingMutations].join(', ')
  const found = fields.map(({ name }) => name).join(', ')
  throw new ApiError(
    'BAD_USER_INPUT',
    `Idempotency-Key requires a mutation with exactly one field, which must be one of ${names}; found ${found}`,
    { reason: 'idempotency-key-unsupported' },
  )
}

/** Contains a hash of the request and, for a restricted caller, a hash of the caller's reach. */
export const fingerprintOf = (
  { query, operationName, variables }: OperationRequest,
  reach: Reach | undefined,
): Buffer =>
  Buffer.concat([
    hashOf([query, operationName || null, variables ?? null]),
    ...(reach === undefined ? [] : [hashOf(reach)]),
  ])

export const isSameRequest = (one: Buffer, other: Buffer): boolean =>
  one.subarray(0, HASH_BYTES).equals(other.subarray(0, HASH_BYTES))

const HASH_BYTES = 32

const hashOf = (value: unknown): Buffer => createHash('sha256').update(JSON.stringify(value)).digest()

const invalidKey = (rule: string): ApiError =>
  new ApiError('BAD_USER_INPUT', `Idempotency-Key ${rule}`, { reason: 'idempotency-key-invalid' })
