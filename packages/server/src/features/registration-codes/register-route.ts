import { deviceReasons } from '../../auth/authentication-reasons.ts'
import type { FailedAuthentication } from '../../auth/failed-authentication.ts'
import type { Database } from '../../db/database.ts'
import { ApiError, retryIn } from '../../errors.ts'
import type { DeviceRequest, DeviceRoute } from '../../http/device-route.ts'
import { readFields } from '../../lib/json-fields.ts'
import { limits } from '../../limits.ts'
import { bytesOfItems, type StorageQuotas } from '../../rate-limits/storage-quotas.ts'
import { idOfBasicUser } from '../devices/changes/verify-device-credentials.ts'
import type { ServiceInput } from '../services/new-service.ts'
import type { RegistrationRequest } from './device-of-code.ts'
import { registerWithCode } from './register-with-code.ts'
import type { PresentedCode } from './registration-codes.queries.ts'

export interface RegisterDeps {
  db: Database
  storage: StorageQuotas
  clock: () => Date
  failed: FailedAuthentication
  onChange: () => void
}

export const registerRoute = (deps: RegisterDeps): DeviceRoute => ({
  path: '/devices/v1/register',
  async handle(request: DeviceRequest) {
    const { body, credentials, spend } = request
    let isCharged = false
    const onCode = (code: PresentedCode): void => {
      isCharged = true
      spend({ codeId: code.id })
      deps.storage.chargeAccount(code.accountId, bytesOfItems([body, code.attributes, ...code.services]))
    }
    try {
      const registered = await registerWithCode({ ...deps, onCode }, readRequest(body), credentials)
      deps.onChange()
      return registered
    } catch (error) {
      if (!isCharged && error instanceof ApiError) spend()
      throw limitGuesses(error, request, deps.failed)
    }
  },
})

function readRequest(body: unknown): RegistrationRequest {
  const fields = readFields(body, '', ['code', 'hardwareId', 'name', 'platform', 'services'])
  return {
    code: fields.text('code'),
    hardwareId: fields.text('hardwareId'),
    name: fields.optionalText('name'),
    platform: fields.optionalText('platform'),
    services: fields.optionalList('services', limits.servicesPerDevice, readService),
  }
}

function readService(item: unknown, path: string): ServiceInput {
  const fields = readFields(item, path, ['name', 'application', 'port'])
  return {
    name: fields.text('name'),
    application: fields.optionalInteger('application'),
    port: fields.optionalInteger('port'),
  }
}

const guesses: ReadonlySet<unknown> = new Set(Object.keys(deviceReasons))

/**
 * Counts an invalid code or invalid device credentials as a guess. A wrong secret also counts for the device. Returns
 * the error for the response: RATE_LIMITED after too many guesses, otherwise the original error.
 */
function limitGuesses(error: unknown, { address, credentials }: DeviceRequest, failed: FailedAuthentication): unknown {
  if (!(error instanceof ApiError) || !guesses.has(error.details.reason)) return error
  const isWrongSecret = error.details.reason === 'wrong-secret' && credentials !== undefined
  const retryAfter = failed.count(address, isWrongSecret ? idOfBasicUser(credentials.user) : undefined)
  if (retryAfter === undefined) return error
  const message = `too many invalid registration codes or device credentials: ${retryIn(retryAfter)}`
  return new ApiError('RATE_LIMITED', message, { retryAfter })
}
