import type { Muster } from '@muster/client'
import { version } from '@muster/server/version.ts'
import { describe } from '../errors/failure.ts'
import { type Finding, failed, ok, warning } from './check.ts'

const SOON_MS = 14 * 86_400_000

const hints: Readonly<Record<string, string>> = {
  'bad-signature':
    'The access key probably does not exist, or has a different secret or public key. Create a key in the console, or run "muster keys create" with the credentials of another key.',
}

export async function* checkSignature(muster: Muster, keyId: string): AsyncGenerator<Finding> {
  try {
    const keys = { key: true, enabled: true, readOnly: true, expires: true } as const
    const { version: serverVersion, login } = await muster.select({
      version: true,
      login: { email: true, accessKeys: keys },
    })
    const key = login?.accessKeys.find((one) => one.key === keyId)
    yield ok('signature', `the server accepts the signature for ${login?.email}${key?.readOnly ? ' (read-only)' : ''}`)
    if (key?.expires && Date.parse(key.expires) - Date.now() < SOON_MS) {
      yield warning(
        'access key',
        `the key expires at ${key.expires}`,
        'To create another key, run "muster keys create".',
      )
    }
    if (serverVersion !== version) {
      yield warning(
        'release',
        `the server runs version ${serverVersion}, but this command is version ${version}`,
        'Upgrade the older of the two. An older command works with a newer server, because changes to version 1 of the API are backward-compatible.',
      )
    }
  } catch (error) {
    const { message } = describe(error)
    const { reason } = error as { reason?: unknown }
    const defaultHint =
      'Check the access key in the credentials file or the environment. To save another key, run "muster configure".'
    const details = typeof reason === 'string' ? `${message} (${reason})` : message
    yield failed('signature', details, (typeof reason === 'string' && hints[reason]) || defaultHint)
  }
}
