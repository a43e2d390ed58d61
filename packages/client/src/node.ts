// The entry point for Node.js, Deno, and Bun, where the client can read the credentials file.
import { type MusterOptions, Muster as WebMuster } from './muster.ts'
import { type ReadCredentialsOptions, readCredentials } from './node/credentials.ts'

export * from './index.ts'
export {
  CredentialsError,
  type ReadCredentialsOptions,
  readCredentials,
  type StoredCredentials,
} from './node/credentials.ts'

export interface FromCredentialsOptions
  extends ReadCredentialsOptions,
    Pick<MusterOptions, 'form' | 'timeout' | 'retries' | 'fetch'> {}

/** A client that signs every request to Muster's API. It can read the credentials file. */
export class Muster extends WebMuster {
  /**
   * Creates a client with the credentials that readCredentials returns for the given options. Throws CredentialsError
   * if the credentials are missing, incomplete, or unreadable.
   *
   * ```ts
   * const muster = await Muster.fromCredentials({ profile: 'staging' })
   * ```
   */
  static async fromCredentials(options: FromCredentialsOptions = {}): Promise<Muster> {
    const { url, keyId, secret, privateKey } = await readCredentials(options)
    const { form, timeout, retries, fetch } = options
    return new Muster({ url, keyId, secret, privateKey, form, timeout, retries, fetch })
  }
}
