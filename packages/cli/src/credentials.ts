import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { StoredCredentials } from '@muster/client/node'
import { usageError } from './cli-error.ts'

/** Which credentials: the options --credentials and --profile. */
export interface Which {
  credentials?: string | undefined
  profile?: string | undefined
}

const hint =
  'The first start of "muster serve" writes them, and "muster configure" keeps those of any server; --credentials or MUSTER_CREDENTIALS say where they are.'

/** What the client finds in the credentials file and the environment; what is wrong there is wrong usage. */
export async function readCredentials({ credentials, profile }: Which, env = process.env): Promise<StoredCredentials> {
  const client = await import('@muster/client/node')
  try {
    return await client.readCredentials({ file: credentials, profile, env })
  } catch (error) {
    if (error instanceof client.CredentialsError) throw usageError(error.message, hint)
    throw error
  }
}

/** The credentials file that commands take, whether it is there or not: the last place is where people keep their own. */
export async function credentialsFile(given: string | undefined, env = process.env): Promise<string> {
  const named = given ?? (env.MUSTER_CREDENTIALS || undefined)
  if (named !== undefined) return resolve(named)
  const ofServer = resolve(env.MUSTER_DATA || 'data', 'credentials')
  return (await textOf(ofServer)) === undefined ? homeCredentials(env) : ofServer
}

/** Where a person's own credentials are. */
export const homeCredentials = (env = process.env): string => join(env.HOME || homedir(), '.muster', 'credentials')

/** The names of the sections of a credentials file. */
export const profilesIn = (text: string): string[] =>
  [...text.matchAll(/^[ \t]*\[([^\]\r\n]+)\][ \t]*\r?$/gm)].map(([, name]) => name!.trim())

/** A file's text; undefined where there is none that can be read. */
export const textOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined)
