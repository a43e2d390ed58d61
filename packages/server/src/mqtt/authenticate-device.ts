import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthenticateError } from 'aedes'
import type { FailedAuthentication } from '../auth/failed-authentication.ts'
import type { Database } from '../db/database.ts'
import { hashDeviceSecret } from '../features/devices/changes/device-secret.ts'
import { verifyDeviceCredentials } from '../features/devices/changes/verify-device-credentials.ts'
import { parseId } from '../features/devices/device-id.ts'
import type { LogRejection } from '../http/rejection-log.ts'
import type { Session } from './session-registry.ts'
import { readTopic, redactTopic } from './topics.ts'

/** CONNACK return codes (MQTT 3.1.1 §3.2.2.3). */
const IDENTIFIER_REJECTED = 2
const UNAVAILABLE = 3
const BAD_CREDENTIALS = 4
const NOT_AUTHORIZED = 5

const NO_ID = 'no device ID'

/**
 * The delay, in milliseconds, before a failed attempt is rejected if its address or its device has had too many failed
 * attempts.
 */
const FAILURE_DELAY_MS = 2_000

export interface AuthenticationDeps {
  db: Database
  failures: FailedAuthentication
  logRejection: LogRejection
}

export interface Credentials {
  clientId: string
  userName: string | undefined
  password: Buffer | undefined
}

/**
 * Sets `session.device` if the credentials and the will's topic, if any, are valid. Otherwise, rejects with an error
 * that contains the return code for CONNACK.
 */
export async function authenticateDevice(
  deps: AuthenticationDeps,
  session: Session,
  credentials: Credentials,
): Promise<void> {
  const { clientId, userName, password } = credentials
  const { address } = session
  const [id, userId] = [parseId(clientId), parseId(userName ?? '')]
  if (id === undefined || userId !== id) {
    // Either value may be a misplaced secret, so the log contains only valid IDs.
    const ids = { clientId: id ?? NO_ID, userName: userId ?? NO_ID }
    deps.logRejection('client ID and user name are not the same device ID', { address, ...ids })
    // IDENTIFIER_REJECTED applies only to an invalid client ID with a valid user name.
    const isClientIdWrong = id === undefined && userId !== undefined
    throw rejection(
      isClientIdWrong ? IDENTIFIER_REJECTED : BAD_CREDENTIALS,
      'client ID and user name must both be the device ID',
    )
  }
  const secret = password?.toString('utf8') ?? ''
  // The hash is set before the verification, because a concurrent check for revoked secrets must include this session.
  session.deviceId = id
  session.secretHash = hashDeviceSecret(secret)
  const device = await verifyDeviceCredentials(deps.db, { id, secret }).catch((error: unknown) => {
    deps.logRejection('the database is unavailable', { address, device: id, error: (error as Error).message })
    throw rejection(UNAVAILABLE, 'the database is unavailable')
  })
  if (device === undefined || session.isCutOff) {
    if (deps.failures.count(address, id) !== undefined) await sleep(FAILURE_DELAY_MS)
    deps.logRejection('wrong secret', { address, device: id })
    throw rejection(BAD_CREDENTIALS, 'bad user name or password')
  }
  if (session.will !== undefined && readTopic(id, session.will.topic) === undefined) {
    deps.logRejection('foreign topic', { address, device: id, topic: redactTopic(session.will.topic) })
    throw rejection(NOT_AUTHORIZED, "the will's topic is unknown or belongs to another device")
  }
  session.device = { ...device, address }
}

function rejection(returnCode: number, message: string): AuthenticateError {
  return Object.assign(new Error(message), { returnCode }) as AuthenticateError
}
