import { deviceRefusal } from '../../auth/reasons.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { userDatabase } from '../../db/fair/user-database.ts'
import type { BasicCredentials } from '../../http/basic-credentials.ts'
import { assertName, assertStorable } from '../../lib/text.ts'
import { limits } from '../../limits.ts'
import { registerDevice } from '../devices/device-changes.ts'
import { reregisterDevice } from '../devices/reregister.ts'
import type { ServiceName } from '../services/service.ts'
import { listServiceNames } from '../services/service-names.ts'
import { hashCode } from './code-text.ts'
import { deviceOf, type RegistrationRequest } from './device-of-code.ts'
import { countUse, findCodeByHash, type PresentedCode } from './registration-codes.queries.ts'
import { assertNoNameTwice } from './registration-codes.ts'

export interface RegisteredByCode {
  deviceId: string
  /** In this answer and never again. */
  secret: string
  services: ServiceName[]
}

/**
 * A device registers itself, in the account that the code belongs to. One that is there already, told by its hardware id, gets a
 * new secret and stays as it is otherwise (`reregisterDevice`); that uses up none of the code, and one that is used up will do.
 * `onCode` gets the code if it is valid, and may throw.
 */
export async function registerWithCode(
  { db, clock, onCode }: { db: Database; clock: () => Date; onCode: (code: PresentedCode) => void },
  request: RegistrationRequest,
  credentials: BasicCredentials | undefined,
): Promise<RegisteredByCode> {
  assertRequest(request)
  const now = clock()
  // Outside of the transaction: whoever guesses, and need not even have points left, costs one statement.
  const code = await getCode(db, request.code, now)
  onCode(code)
  const ofUser = userDatabase(db, code.accountId)
  return ofUser.transaction().execute(async (transaction) => {
    const context = actingFor(transaction, code)
    const { hardwareId } = request
    const again = await reregisterDevice(context, { hardwareId, credentials, registrationCode: code.id, now })
    if (again !== undefined) {
      return { deviceId: again.id, secret: again.secret, services: await listServiceNames(context, again.id) }
    }
    if (code.used >= code.uses) throw deviceRefusal('used-up-code')
    const { id, secret, services } = await registerDevice(context, deviceOf(code, request), code.id)
    // Last, so that the code's row is locked for a moment only: many devices come at once with one code. It may have been deleted, too.
    if (!(await countUse(transaction, code.accountId, code.id))) throw deviceRefusal('used-up-code')
    return { deviceId: id, secret, services }
  })
}

function assertRequest({ code, hardwareId, services }: RegistrationRequest): void {
  assertStorable(code, 'code')
  assertName(hardwareId, 'hardwareId', limits.hardwareIdLength)
  if (services !== undefined) assertNoNameTwice(services)
}

async function getCode(db: Database, text: string, now: Date): Promise<PresentedCode> {
  const code = await findCodeByHash(db, hashCode(text))
  if (code === undefined) throw deviceRefusal('unknown-code')
  if (code.expires <= now) throw deviceRefusal('expired-code')
  return code
}

const actingFor = (db: Database, { accountId, email }: PresentedCode): Pick<Context, 'db' | 'viewer'> => ({
  db,
  viewer: { accountId, email, readOnly: false, isDevice: true },
})
