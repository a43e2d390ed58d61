import type { Muster } from '@muster/client'
import { describe } from '../failure.ts'
import { version } from '../version.ts'
import { type Finding, failed, ok, warning } from './check.ts'

const SOON_MS = 14 * 86_400_000

const hints: Readonly<Record<string, string>> = {
  'bad-signature':
    'The server knows no such key, or its secret is another: make one in the console, or with "muster keys create" and another key.',
}

/** Whether the server takes what is signed with the key, and how long it will. */
export async function* checkSignature(muster: Muster, keyId: string): AsyncGenerator<Finding> {
  try {
    const keys = { key: true, enabled: true, readOnly: true, expires: true } as const
    const { version: there, login } = await muster.select({ version: true, login: { email: true, accessKeys: keys } })
    const key = login?.accessKeys.find((one) => one.key === keyId)
    yield ok('signature', `the server takes it; you are ${login?.email}${key?.readOnly ? ', and may only read' : ''}`)
    if (key?.expires && Date.parse(key.expires) - Date.now() < SOON_MS) {
      yield warning('access key', `it stops working at ${key.expires}`, 'Make another: muster keys create.')
    }
    if (there !== version) {
      yield warning(
        'release',
        `the server is ${there}, this command ${version}`,
        'Bring both to the same release; the API of version 1 only grows.',
      )
    }
  } catch (error) {
    const { message } = describe(error)
    const { reason } = error as { reason?: unknown }
    const usual = 'Check the access key and its secret in the credentials file: "muster configure" keeps others.'
    const said = typeof reason === 'string' ? `${message} (${reason})` : message
    yield failed('signature', said, (typeof reason === 'string' && hints[reason]) || usual)
  }
}
