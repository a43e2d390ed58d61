import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { assertBelowLimit, badInput, limitExceeded, notFound } from '../../errors.ts'
import { assertName, assertStorable } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import type { MutationCreateRegistrationCodeArgs } from '../../resolvers.generated.ts'
import { initialAttributes } from '../attributes/initial-attributes.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { recordEvents } from '../events/record.ts'
import { createOnceInTransaction } from '../idempotency/record-created.ts'
import { newService, type ServiceInput } from '../services/new-service.ts'
import { lockAccount } from '../users/users.ts'
import { hashCode, newCode, prefixOf } from './code-text.ts'
import type { CodeTemplate, CreatedRegistrationCode, RegistrationCode } from './registration-code.ts'
import {
  countCodes,
  insertRegistrationCode,
  removeCodesExpiredBefore,
  removeRegistrationCode,
  selectRegistrationCodes,
} from './registration-codes.queries.ts'

type Viewing = Pick<Context, 'db' | 'viewer'>

const DAY_MS = 24 * 3_600_000
const LIFETIME_MS = 7 * DAY_MS
const MAX_USES = 1_000_000

export const listRegistrationCodes = ({ db, viewer }: Viewing): Promise<RegistrationCode[]> =>
  selectRegistrationCodes(db, viewer.accountId)

export const countRegistrationCodes = ({ db, viewer }: Viewing): Promise<number> => countCodes(db, viewer.accountId)

export async function createRegistrationCode(
  context: Viewing & Pick<Context, 'clock' | 'once'>,
  input: MutationCreateRegistrationCodeArgs,
): Promise<CreatedRegistrationCode> {
  const { viewer } = context
  const now = context.clock()
  const template = readTemplate(input)
  const uses = input.uses ?? 1
  const expires = input.expires ?? new Date(now.getTime() + LIFETIME_MS)
  if (uses < 1 || uses > MAX_USES) throw badInput(`uses must be from 1 to ${MAX_USES}, not ${uses}`)
  if (expires <= now)
    throw badInput(
      `expires must be in the future, not ${expires.toISOString()}; the server's time is ${now.toISOString()}`,
    )

  const code = newCode()
  const create = async (transaction: Database) => {
    if (!(await lockAccount(transaction, viewer.accountId))) throw notFound('account', viewer.accountId)
    const found = await countCodes(transaction, viewer.accountId)
    assertBelowLimit('registration codes', { limit: limits.registrationCodes, found })
    const added = await insertRegistrationCode(transaction, viewer.accountId, {
      ...template,
      id: randomUUID(),
      codeHash: hashCode(code),
      prefix: prefixOf(code),
      uses,
      expires,
    })
    await recordChange({ db: transaction, viewer }, 'REGISTRATION_CODE_CREATE', added, { ...template, uses, expires })
    return added
  }
  const registrationCode = await createOnceInTransaction(context, create, ({ id }) => ({
    kind: 'registration code',
    id,
    secret: code,
  }))
  return { code, registrationCode }
}

export async function deleteRegistrationCode({ db, viewer }: Viewing, id: string): Promise<void> {
  assertStorable(id, 'id')
  await db.transaction().execute(async (transaction) => {
    const removed = await removeRegistrationCode(transaction, viewer.accountId, id)
    if (removed === undefined) throw notFound('registration code', id)
    const { name, uses, used } = removed
    await recordChange({ db: transaction, viewer }, 'REGISTRATION_CODE_DELETE', removed, { name, uses, used })
  })
}

/** Deletes codes that expired more than `expiredCodeDays` days ago. Returns their number. Records no events. */
export const sweepRegistrationCodes = (db: Database, now: Date): Promise<number> =>
  removeCodesExpiredBefore(db, new Date(now.getTime() - limits.expiredCodeDays * DAY_MS))

/** Validates the code's data against the rules for the devices that will register with the code. */
function readTemplate({ name, platform, services, attributes }: MutationCreateRegistrationCodeArgs): CodeTemplate {
  if (name != null) assertName(name, 'name', limits.deviceNameLength)
  if (platform != null) assertName(platform, 'platform', limits.platformLength)
  if (services != null) assertServices(services)
  if (attributes != null) initialAttributes(attributes, 'attributes')
  return { name: name ?? null, platform: platform ?? null, services: services ?? [], attributes: attributes ?? {} }
}

function assertServices(services: readonly ServiceInput[]): void {
  if (services.length > limits.servicesPerDevice) {
    const message = `services: a device can have at most ${limits.servicesPerDevice} services, found ${services.length}`
    throw limitExceeded(message)
  }
  for (const [index, service] of services.entries()) newService(service, `services[${index}].`)
  assertUniqueNames(services)
}

/** Rejects duplicate names, because the services of a device and of a code are matched by name. */
export function assertUniqueNames(services: readonly { name: string }[]): void {
  const names = new Set<string>()
  for (const [index, { name }] of services.entries()) {
    if (names.has(name))
      throw badInput(`services[${index}].name: ${JSON.stringify(name)} appears twice, but names must be unique`)
    names.add(name)
  }
}

async function recordChange(
  { db, viewer }: Viewing,
  type: EventTypeName,
  { id, prefix, name }: RegistrationCode,
  data: Record<string, unknown>,
): Promise<void> {
  const target = { id, name: name ?? prefix, kind: 'registrationCode' as const }
  await recordEvents(db, { viewer }, [{ type, targets: [target], data: { prefix, ...data } }])
}
