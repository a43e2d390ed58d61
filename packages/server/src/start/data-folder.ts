import { stat } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'

/** Warns about an existing folder that is open to other users. A folder that the server creates is private. */
export async function warnOfOpenDataFolder(dataFolder: string, log: FastifyBaseLogger): Promise<void> {
  const { mode } = await stat(dataFolder).catch(() => ({ mode: 0 }))
  if ((mode & 0o066) === 0) return
  const details = { dataFolder, mode: (mode & 0o777).toString(8), fix: `chmod 700 ${dataFolder}` }
  log.warn(details, 'other users on this machine can read or write the data folder')
}
