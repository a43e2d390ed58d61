import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseIni } from './ini.ts'

/** The credentials of an access key, with either `secret` or `privateKey`. */
export interface StoredCredentials {
  url: string
  keyId: string
  /** The access key's secret, in base64. */
  secret?: string
  /** Ed25519 private key as PEM (PKCS #8). */
  privateKey?: string
  /** Name of the selected profile, which is a section of the credentials file. Set even if that file was not read. */
  profile: string
  /** Path of the credentials file, or undefined if all values come from the environment. */
  file?: string
}

export interface ReadCredentialsOptions {
  /** The profile to read. Default: the value of MUSTER_PROFILE or, if that is not set, `default`. */
  profile?: string | undefined
  /**
   * Path of the credentials file. Default: the value of MUSTER_CREDENTIALS or, if that is not set, the first of these
   * files that can be read: `$MUSTER_DATA/credentials` (by default `data/credentials`) and `~/.muster/credentials`.
   */
  file?: string | undefined
  /** The environment variables. Default: `process.env`. */
  env?: Readonly<Record<string, string | undefined>> | undefined
}

/** The credentials are missing, incomplete, or unreadable. The message describes the problem and where it is. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
}

type Values = ReadonlyMap<string, string>

const names = ['MUSTER_URL', 'MUSTER_ACCESS_KEY_ID', 'MUSTER_SECRET_ACCESS_KEY', 'MUSTER_PRIVATE_KEY_FILE'] as const

/**
 * Reads credentials from environment variables and from the credentials file that the server or `muster configure`
 * writes. The variables are MUSTER_URL, MUSTER_ACCESS_KEY_ID, MUSTER_SECRET_ACCESS_KEY, and MUSTER_PRIVATE_KEY_FILE.
 * They take precedence over the file, but are ignored if the options contain a file or a profile. If the variables
 * contain all required values, the credentials file is not read. Throws CredentialsError if the credentials are
 * missing, incomplete, or unreadable.
 *
 * ```ts
 * const { url, keyId } = await readCredentials({ profile: 'staging' })
 * ```
 */
export async function readCredentials(options: ReadCredentialsOptions = {}): Promise<StoredCredentials> {
  const { env = process.env } = options
  const profile = options.profile ?? (env.MUSTER_PROFILE || 'default')
  const isGiven = options.profile !== undefined || options.file !== undefined
  const ofEnvironment = isGiven ? new Map<string, string>() : valuesOf(env)
  if (isComplete(ofEnvironment)) return toCredentials(ofEnvironment, { profile })
  const { file, text } = await findFile(options.file, env)
  const section = parseIni(text).get(profile)
  if (section === undefined) throw new CredentialsError(`${file} does not contain a section [${profile}]`)
  const values = merge(section, ofEnvironment)
  const missing = missingIn(values)
  if (missing.length > 0)
    throw new CredentialsError(
      `section [${profile}] of ${file}, with any overrides from the environment, lacks ${new Intl.ListFormat('en').format(missing)}`,
    )
  return toCredentials(values, { profile, file })
}

const valuesOf = (env: Readonly<Record<string, string | undefined>>): Map<string, string> =>
  new Map(names.flatMap((name): [string, string][] => (env[name] ? [[name, env[name]]] : [])))

/**
 * Combines the values of the section and of the environment, which takes precedence. If the environment sets the key
 * ID, the secret, or the private key, ignores the section's secret and private key. They may belong to another key.
 */
function merge(section: Values, ofEnvironment: Values): Values {
  const values = new Map(section)
  if ([...ofEnvironment.keys()].some((name) => name !== 'MUSTER_URL')) {
    values.delete('MUSTER_SECRET_ACCESS_KEY')
    values.delete('MUSTER_PRIVATE_KEY_FILE')
  }
  for (const [name, value] of ofEnvironment) values.set(name, value)
  return values
}

function missingIn(values: Values): string[] {
  const missing = ['MUSTER_URL', 'MUSTER_ACCESS_KEY_ID'].filter((name) => !values.get(name))
  const hasKey = values.get('MUSTER_SECRET_ACCESS_KEY') || values.get('MUSTER_PRIVATE_KEY_FILE')
  return hasKey ? missing : [...missing, 'MUSTER_SECRET_ACCESS_KEY (or MUSTER_PRIVATE_KEY_FILE)']
}

const isComplete = (values: Values): boolean => missingIn(values).length === 0

async function toCredentials(
  values: Values,
  { profile, file }: { profile: string; file?: string },
): Promise<StoredCredentials> {
  const secret = values.get('MUSTER_SECRET_ACCESS_KEY')
  const keyFile = values.get('MUSTER_PRIVATE_KEY_FILE')
  return {
    url: values.get('MUSTER_URL')!,
    keyId: values.get('MUSTER_ACCESS_KEY_ID')!,
    ...(secret ? { secret } : { privateKey: await readPrivateKey(keyFile!, file) }),
    profile,
    ...(file === undefined ? {} : { file }),
  }
}

/**
 * Reads the private key. Resolves a relative path against the folder of the credentials file or, without a file,
 * against the current directory. Throws CredentialsError if the file does not exist or cannot be read.
 */
async function readPrivateKey(path: string, file: string | undefined): Promise<string> {
  const keyFile = resolve(file === undefined ? '.' : dirname(file), path)
  const text = await readIfExists(keyFile)
  if (text === undefined)
    throw new CredentialsError(`the private key file ${keyFile} does not exist: check MUSTER_PRIVATE_KEY_FILE`)
  return text
}

async function findFile(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ file: string; text: string }> {
  const named = given ?? (env.MUSTER_CREDENTIALS || undefined)
  const paths = named === undefined ? defaultPaths(env) : [resolve(named)]
  let unreadable: unknown
  for (const file of paths) {
    try {
      const text = await readIfExists(file)
      if (text !== undefined) return { file, text }
    } catch (error) {
      unreadable ??= error
    }
  }
  if (unreadable !== undefined) throw unreadable
  throw new CredentialsError(
    named === undefined
      ? `no credentials found in ${paths.join(' or ')}; the server writes them on its first start`
      : `no credentials found in ${paths[0]}`,
  )
}

const defaultPaths = (env: Readonly<Record<string, string | undefined>>): string[] => [
  resolve(env.MUSTER_DATA || 'data', 'credentials'),
  join(env.HOME || homedir(), '.muster', 'credentials'),
]

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new CredentialsError(`cannot read ${file}: ${message}`)
  }
}
