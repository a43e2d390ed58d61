import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { StoredCredentials } from '@muster/client/node'
import { usageError } from '../errors/cli-error.ts'

export interface Which {
  credentials?: string | undefined
  profile?: string | undefined
}

const hint =
  'The first start of "muster serve" writes credentials, and "muster configure" saves credentials for any server. To use another file, pass --credentials or set MUSTER_CREDENTIALS.'

export async function readCredentials({ credentials, profile }: Which, env = process.env): Promise<StoredCredentials> {
  const client = await import('@muster/client/node')
  try {
    return await client.readCredentials({ file: credentials, profile, env })
  } catch (error) {
    if (error instanceof client.CredentialsError) throw usageError(error.message, hint)
    throw error
  }
}

/**
 * Returns the path of the credentials file: `given`, MUSTER_CREDENTIALS, the server's file if it can be read, or the
 * file in the home directory, in this order of precedence. The file might not exist.
 */
export async function credentialsFile(given: string | undefined, env = process.env): Promise<string> {
  const named = given ?? (env.MUSTER_CREDENTIALS || undefined)
  if (named !== undefined) return resolve(named)
  const ofServer = resolve(env.MUSTER_DATA || 'data', 'credentials')
  return (await readTextIfReadable(ofServer)) === undefined ? homeCredentials(env) : ofServer
}

export const homeCredentials = (env = process.env): string => join(env.HOME || homedir(), '.muster', 'credentials')

export const profilesIn = (text: string): string[] =>
  [...text.matchAll(/^[ \t]*\[([^\]\r\n]+)\][ \t]*\r?$/gm)].map(([, name]) => name!.trim())

export const readTextIfReadable = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(() => undefined)
