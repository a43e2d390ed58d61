import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { StartError } from '../start-error.ts'

const KEY_BYTES = 32

/** The files of master keys in a data folder. */
export const masterKeyFiles = (dataFolder: string) => ({
  current: join(dataFolder, 'master.key'),
  /** Created by a rotation, which replaces the current file with it at the end. */
  next: join(dataFolder, 'master.key.next'),
  /** The current key before the last rotation. Backups from then need it. */
  previous: join(dataFolder, 'master.key.previous'),
})

export const formatMasterKey = (key: Buffer): string => `${key.toString('base64')}\n`

/** Synchronous, because `decrypt` searches for a new key when a secret cannot be decrypted. */
export function readMasterKey(file: string, log?: Pick<FastifyBaseLogger, 'warn'>): Buffer | undefined {
  const text = readIfExists(file)
  if (text === undefined) return undefined
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw new StartError(`${file} does not contain ${KEY_BYTES} bytes in base64: restore the original file.`)
  }
  if (log !== undefined && (statSync(file).mode & 0o077) !== 0) {
    log.warn({ file }, 'other users can read the master key: run chmod 600 on it')
  }
  return key
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new StartError(`The master key cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
