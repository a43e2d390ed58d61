import type { Muster } from '@muster/client'
import { usageError } from './cli-error.ts'
import { readCredentials, type Which } from './credentials.ts'

/** The API as whom the credentials name. `retries`: tries after the first, worth many where much is at stake. */
export async function openMuster(which: Which, retries: number): Promise<Muster> {
  // Late, so that the help of a command comes without it.
  const [{ Muster }, { file, profile, ...credentials }] = await Promise.all([
    import('@muster/client'),
    readCredentials(which),
  ])
  try {
    return new Muster({ ...credentials, retries })
  } catch (error) {
    throw usageError(`the credentials in ${file ?? 'the environment'}, profile ${profile}: ${(error as Error).message}`)
  }
}
