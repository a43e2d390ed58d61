import type { Muster } from '@muster/client'
import { readCredentials, type Which } from '../credentials/credentials.ts'
import { usageError } from '../errors/cli-error.ts'
import { httpFetch } from './http-fetch.ts'

export async function openMuster(which: Which, retries: number): Promise<Muster> {
  // Import the client here, so that printing help does not load it.
  const [{ Muster }, { file, profile, ...credentials }] = await Promise.all([
    import('@muster/client'),
    readCredentials(which),
  ])
  try {
    return new Muster({ ...credentials, retries, fetch: httpFetch })
  } catch (error) {
    throw usageError(
      `invalid credentials in ${file ?? 'the environment'}, profile ${profile}: ${(error as Error).message}`,
    )
  }
}
