import type { Muster, Mutations } from '@muster/client'
import { Option } from 'commander'
import { writeProfile } from '../credentials/write-profile.ts'
import { CliError } from '../errors/cli-error.ts'
import { printJson, say } from '../output/print-result.ts'

type NewKey = Pick<Awaited<ReturnType<Mutations['createAccessKey']>>, 'key' | 'secret' | 'accessKey'>

interface Delivery {
  json: boolean | undefined
  /** The profile in which to save the key. Undefined to print the secret, or for a key without a secret. */
  place: { profile: string; file: string } | undefined
  /** Explains what to do with the key if its secret cannot be saved. */
  hint: string
}

export const publicKeyOption = (): Option =>
  new Option('--public-key <file>', 'register an Ed25519 public key (PEM) instead of creating a secret').conflicts(
    'save',
  )

/** Saves a new access key in a profile or prints its secret, which the API returns only once. */
export async function deliverNewKey(
  muster: Muster,
  { key, secret, accessKey }: NewKey,
  { json, place, hint }: Delivery,
): Promise<void> {
  if (place !== undefined && secret !== null) {
    const values = { MUSTER_URL: muster.url, MUSTER_ACCESS_KEY_ID: key, MUSTER_SECRET_ACCESS_KEY: secret }
    await writeProfile(place.file, place.profile, values).catch((error: Error) => {
      const message = `the access key ${key} was created, but its secret could not be saved and is lost: ${error.message}`
      throw new CliError(message, { hint })
    })
  }
  if (json) return printJson(place === undefined ? { ...accessKey, secret } : { ...accessKey, ...place })
  await say(`Key: ${key}`)
  if (place !== undefined) return say(`Saved as profile ${place.profile} in ${place.file}`)
  if (secret === null) return
  await say(`Secret: ${secret}`)
  console.error('The secret is shown only once.')
}
