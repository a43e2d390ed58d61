import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { StartError } from '../../start-error.ts'

const KEY_BYTES = 32

export const masterKeyFiles = (dataFolder: string) => ({
  current: join(dataFolder, 'master.key'),
  /** Contains the new key during a rotation. The last step of the rotation moves the key to `current`. */
  next: join(dataFolder, 'master.key.next'),
  /** The key before the last rotation. Backups that were created while this key was current need the key. */
  previous: join(dataFolder, 'master.key.previous'),
})

export const formatMasterKey = (key: Buffer): string => `${key.toString('base64')}\n`

/**
 * Returns undefined if the file does not exist. Throws a StartError if the file cannot be read or is invalid. This
 * function is synchronous, because `decrypt` is synchronous and may reload the keys.
 */
export function readMasterKey(file: string, log?: Pick<FastifyBaseLogger, 'warn'>): Buffer | undefined {
  const text = readIfExists(file)
  if (text === undefined) return undefined
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw new StartError(`${file} does not contain ${KEY_BYTES} bytes in base64: restore the original file.`)
  }
  if (log !== undefined && (statSync(file).mode & 0o077) !== 0) {
    log.warn({ file }, 'other users can access the master key: run chmod 600 on the file')
  }
  return key
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new StartError(`The master key cannot be read: ${(error as Error).message}.`, { cause: error })
  }
}
