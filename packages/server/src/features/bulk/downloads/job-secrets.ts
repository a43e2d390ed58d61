import { createHmac, randomBytes } from 'node:crypto'
import type { Secrets } from '../../../auth/secrets.ts'
import { hashDeviceSecret } from '../../devices/changes/device-secret.ts'
import type { BulkJob } from '../bulk-job.ts'

/**
 * The secrets of the devices that a job registers, derived from one random key. The job's row stores the encrypted key
 * until the secrets are downloaded, or until a day after the job ends. Without the key, only the hashes of the secrets
 * remain.
 */
export interface JobSecrets {
  ofDevice(deviceId: string): string
}

const ownerOf = (accountId: string, jobId: string) => ({ accountId, key: `bulk job ${jobId}` })

/** Creates the key for the job's secrets and returns it encrypted. Returns null if the job creates no secrets. */
export function newJobKey(
  secrets: Pick<Secrets, 'encrypt'>,
  accountId: string,
  { id, target, undoOf }: Pick<BulkJob, 'id' | 'target' | 'undoOf'>,
): Buffer | null {
  const createsSecrets = undoOf === null && 'csv' in target && target.csv?.secrets === true
  return createsSecrets ? secrets.encrypt(ownerOf(accountId, id), randomBytes(32)) : null
}

export function openJobKey(
  secrets: Pick<Secrets, 'decrypt'>,
  { accountId, jobId }: { accountId: string; jobId: string },
  encrypted: Buffer,
): JobSecrets {
  const key = secrets.decrypt(ownerOf(accountId, jobId), encrypted)
  return { ofDevice: (deviceId) => createHmac('sha256', key).update(deviceId).digest('base64url') }
}

export const hashOfDevice = (secrets: JobSecrets, deviceId: string): string =>
  hashDeviceSecret(secrets.ofDevice(deviceId)).toString('hex')
