import { deviceAuthError } from '../../auth/authentication-reasons.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { userDatabase } from '../../db/fair/user-database.ts'
import type { BasicCredentials } from '../../http/basic-credentials.ts'
import { assertName, assertStorable } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { registerDevice } from '../devices/changes/device-changes.ts'
import { reregisterDevice } from '../devices/changes/reregister.ts'
import type { ServiceName } from '../services/service.ts'
import { listServiceNames } from '../services/services.ts'
import { hashCode } from './code-text.ts'
import { deviceOf, type RegistrationRequest } from './device-of-code.ts'
import { countUse, findCodeByHash, type PresentedCode } from './registration-codes.queries.ts'
import { assertUniqueNames } from './registration-codes.ts'

export interface RegisteredByCode {
  deviceId: string
  /** The server returns this secret only once. */
  secret: string
  services: ServiceName[]
}

/**
 * Registers a device. If the account already contains a device with the hardware ID, that device receives a new secret
 * and otherwise stays unchanged. Throws UNAUTHENTICATED for an invalid code, and CONFLICT if that device may not
 * register again (see `reregisterDevice`). Registering again does not count as a use of the code, so a used-up code
 * also works. `onCode` receives the code if it has not expired; an error that `onCode` throws rejects the registration.
 */
export async function registerWithCode(
  { db, clock, onCode }: { db: Database; clock: () => Date; onCode: (code: PresentedCode) => void },
  request: RegistrationRequest,
  credentials: BasicCredentials | undefined,
): Promise<RegisteredByCode> {
  assertRequest(request)
  const now = clock()
  // The lookup runs before the transaction. A guessed code therefore costs only one statement, even after the rate
  // limit is exceeded.
  const code = await getCode(db, request.code, now)
  onCode(code)
  const ofUser = userDatabase(db, code.accountId)
  return ofUser.transaction().execute(async (transaction) => {
    const context = contextOf(transaction, code)
    const { hardwareId } = request
    const reregistered = await reregisterDevice(context, { hardwareId, credentials, registrationCode: code.id, now })
    if (reregistered !== undefined) {
      const { id, secret } = reregistered
      return { deviceId: id, secret, services: await listServiceNames(context, id) }
    }
    if (code.used >= code.uses) throw deviceAuthError('used-up-code')
    const { id, secret, services } = await registerDevice(context, deviceOf(code, request), code.id)
    // Count the use last, because counting locks the code's row, and many devices can use one code at the same time.
    // The code may have been deleted or used up since the lookup.
    if (!(await countUse(transaction, code.accountId, code.id)))
      throw deviceAuthError((await findCode(transaction, request.code)) === undefined ? 'unknown-code' : 'used-up-code')
    return { deviceId: id, secret, services }
  })
}

function assertRequest({ code, hardwareId, services }: RegistrationRequest): void {
  assertStorable(code, 'code')
  assertName(hardwareId, 'hardwareId', limits.hardwareIdLength)
  if (services !== undefined) assertUniqueNames(services)
}

async function getCode(db: Database, text: string, now: Date): Promise<PresentedCode> {
  const code = await findCode(db, text)
  if (code === undefined) throw deviceAuthError('unknown-code')
  if (code.expires <= now) throw deviceAuthError('expired-code')
  return code
}

const findCode = (db: Database, text: string) => findCodeByHash(db, hashCode(text))

const contextOf = (db: Database, { accountId, email }: PresentedCode): Pick<Context, 'db' | 'viewer'> => ({
  db,
  viewer: { accountId, email, readOnly: false, isDevice: true },
})
