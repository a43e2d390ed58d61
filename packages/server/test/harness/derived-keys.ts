import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type Callback = (error: Error | null, key: Buffer) => void

/**
 * Makes `crypto.scrypt` cache derived keys. Deriving a key takes a tenth of a second of CPU time, and tests sign in
 * hundreds of times.
 */
export function rememberDerivedKeys(): void {
  const derive = crypto.scrypt
  const keys = new Map<string, Buffer>()
  const scrypt = (password: string, salt: string, length: number, options: ScryptOptions, callback: Callback): void => {
    const input = JSON.stringify([password, salt, length, options])
    const known = keys.get(input)
    if (known !== undefined) return void setImmediate(callback, null, Buffer.from(known))
    derive(password, salt, length, options, (error, key) => {
      if (error === null) keys.set(input, Buffer.from(key))
      callback(error, key)
    })
  }
  Object.assign(crypto, { scrypt })
  syncBuiltinESMExports()
}
