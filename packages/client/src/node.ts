// The client with what needs files: for Node, Deno and Bun.
import { type MusterOptions, Muster as WebMuster } from './muster.ts'
import { type ReadCredentialsOptions, readCredentials } from './node/credentials.ts'

export * from './index.ts'
export {
  CredentialsError,
  type ReadCredentialsOptions,
  readCredentials,
  type StoredCredentials,
} from './node/credentials.ts'

/** Which credentials, and what else a client is made with. */
export interface FromCredentialsOptions
  extends ReadCredentialsOptions,
    Pick<MusterOptions, 'form' | 'timeout' | 'retries' | 'fetch'> {}

/** Muster's API as one user, every request signed. */
export class Muster extends WebMuster {
  /**
   * The client of a profile of the credentials file; throws CredentialsError where there is none.
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
