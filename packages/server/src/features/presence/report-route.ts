import { deviceAuthError } from '../../auth/authentication-reasons.ts'
import type { FailedAuthentication } from '../../auth/failed-authentication.ts'
import type { Database } from '../../db/database.ts'
import { userDatabase } from '../../db/fair/user-database.ts'
import { ApiError, retryIn } from '../../errors.ts'
import type { DeviceRequest, DeviceRoute } from '../../http/device-route.ts'
import { readFields } from '../../lib/json-fields.ts'
import { limits } from '../../limits.ts'
import type { StorageQuotas } from '../../rate-limits/storage-quotas.ts'
import {
  type AuthenticatedDevice,
  idOfBasicUser,
  verifyDeviceCredentials,
} from '../devices/changes/verify-device-credentials.ts'
import type { State } from '../devices/device.ts'
import { applyReport, type DeviceReport, readState, type ServiceReport } from './report.ts'

export interface ReportDeps {
  db: Database
  storage: StorageQuotas
  failed: FailedAuthentication
  onChange: () => void
}

/** Returns the route to which devices can send reports over HTTP, without an MQTT connection. */
export const reportRoute = (deps: ReportDeps): DeviceRoute => ({
  path: '/devices/v1/report',
  async handle(request) {
    const device = await authenticate(deps, request)
    request.spend({ deviceId: device.deviceId })
    const db = userDatabase(deps.db, device.viewer.accountId)
    await applyReport({ db, storage: deps.storage }, device, readReport(request))
    deps.onChange()
    return { deviceId: device.deviceId }
  },
})

async function authenticate({ db, failed }: ReportDeps, request: DeviceRequest): Promise<AuthenticatedDevice> {
  const { credentials, address, spend } = request
  if (credentials === undefined) {
    spend()
    throw deviceAuthError('no-credentials')
  }
  const id = idOfBasicUser(credentials.user)
  const device = await verifyDeviceCredentials(db, { id: id ?? '', secret: credentials.password })
  if (device !== undefined) return device
  spend()
  const retryAfter = failed.count(address, id)
  if (retryAfter === undefined) throw deviceAuthError('wrong-secret')
  const message = `too many invalid device IDs or secrets: ${retryIn(retryAfter)}`
  throw new ApiError('RATE_LIMITED', message, { retryAfter })
}

function readReport({ body, address }: DeviceRequest): DeviceReport {
  const fields = readFields(body, '', ['state', 'ttl', 'attributes', 'services'])
  return {
    state: readOptionalState(fields.optionalText('state'), 'state'),
    ttl: fields.optionalInteger('ttl'),
    attributes: fields.optionalObject('attributes'),
    services: fields.optionalList('services', limits.servicesPerDevice, readService) ?? [],
    address,
  }
}

function readService(item: unknown, path: string): ServiceReport {
  const fields = readFields(item, path, ['id', 'state', 'attributes'])
  return {
    id: fields.text('id'),
    state: readOptionalState(fields.optionalText('state'), `${path}state`),
    attributes: fields.optionalObject('attributes'),
  }
}

const readOptionalState = (text: string | undefined, path: string): State | undefined =>
  text === undefined ? undefined : readState(text, path)
