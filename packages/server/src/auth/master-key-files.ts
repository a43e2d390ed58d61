import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { StartError } from '../start-error.ts'

const KEY_BYTES = 32

/** The files of master keys in a data folder. */
export const masterKeyFiles = (dataFolder: string) => ({
  current: join(dataFolder, 'master.key'),
  /** Made by a rotation, which puts it in the place of the current one at its end. */
  next: join(dataFolder, 'master.key.next'),
  /** What was current before the last rotation: backups from then need it. */
  previous: join(dataFolder, 'master.key.previous'),
})

export const formatMasterKey = (key: Buffer): string => `${key.toString('base64')}\n`

/** At once, not by a promise: a secret that does not open is a reason to look whether there is a new key. */
export function readMasterKey(file: string, log?: Pick<FastifyBaseLogger, 'warn'>): Buffer | undefined {
  const text = readIfThere(file)
  if (text === undefined) return undefined
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw new StartError(`${file} does not hold ${KEY_BYTES} bytes in base64: bring back the file as it was.`)
  }
  if (log !== undefined && (statSync(file).mode & 0o077) !== 0) {
    log.warn({ file }, 'others than its owner may read the master key: chmod 600')
  }
  return key
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new StartError(`The master key cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
