import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthenticateError } from 'aedes'
import type { FailedSignatures } from '../auth/failed-signatures.ts'
import type { Database } from '../db/database.ts'
import { hashDeviceSecret } from '../features/devices/changes/device-secret.ts'
import { signOnDevice } from '../features/devices/changes/sign-on.ts'
import { parseId } from '../features/devices/device-id.ts'
import type { LogRefusal } from '../http/refusals.ts'
import type { Session } from './sessions.ts'
import { readTopic, toldTopic } from './topics.ts'

/** CONNACK return codes (MQTT 3.1.1 §3.2.2.3). */
const IDENTIFIER_REJECTED = 2
const UNAVAILABLE = 3
const BAD_CREDENTIALS = 4
const NOT_AUTHORIZED = 5

const NO_ID = 'no device id'

/** How long the answer waits for an address, or a device, that failed too often. */
const SLOWED_DOWN_MS = 2_000

export interface SignOnDeps {
  db: Database
  failures: FailedSignatures
  refuse: LogRefusal
}

export interface Credentials {
  clientId: string
  userName: string | undefined
  password: Buffer | undefined
}

/** Lets a session act as the device whose secret it shows; rejects with what CONNACK is to say. */
export async function signOn(deps: SignOnDeps, session: Session, credentials: Credentials): Promise<void> {
  const { clientId, userName, password } = credentials
  const { address } = session
  const [id, userId] = [parseId(clientId), parseId(userName ?? '')]
  if (id === undefined || userId !== id) {
    // Either may be the secret, put in the wrong place.
    const told = { clientId: id ?? NO_ID, userName: userId ?? NO_ID }
    deps.refuse('client id and user name are not one device id', { address, ...told })
    // The user name is a credential. Only a client id that is wrong beside a device's user name is the identifier's fault.
    const isClientIdWrong = id === undefined && userId !== undefined
    throw refusal(
      isClientIdWrong ? IDENTIFIER_REJECTED : BAD_CREDENTIALS,
      'client id and user name must both be the device id',
    )
  }
  const secret = password?.toString('utf8') ?? ''
  // Before it is compared: whoever looks for secrets that hold no more while that is under way finds this one.
  session.deviceId = id
  session.secretHash = hashDeviceSecret(secret)
  const signedOn = await signOnDevice(deps.db, { id, secret }).catch((error: unknown) => {
    deps.refuse('the database is away', { address, device: id, error: (error as Error).message })
    throw refusal(UNAVAILABLE, 'the database is away')
  })
  if (signedOn === undefined || session.isCutOff) {
    if (deps.failures.count(address, id) !== undefined) await sleep(SLOWED_DOWN_MS)
    deps.refuse('wrong secret', { address, device: id })
    throw refusal(BAD_CREDENTIALS, 'bad user name or password')
  }
  if (session.will !== undefined && readTopic(id, session.will.topic) === undefined) {
    deps.refuse('foreign topic', { address, device: id, topic: toldTopic(session.will.topic) })
    throw refusal(NOT_AUTHORIZED, 'the will is on no topic of the device')
  }
  session.device = { ...signedOn, address }
}

function refusal(returnCode: number, message: string): AuthenticateError {
  return Object.assign(new Error(message), { returnCode }) as AuthenticateError
}
