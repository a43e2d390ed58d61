import { type FileHandle, open, rm } from 'node:fs/promises'
import type { Muster } from '@muster/client'
import { CliError, usageError } from '../errors/cli-error.ts'
import { download } from '../server/download.ts'

/**
 * Calls `use` with a new file that only its owner can read, and then removes the file if it is empty. Throws if the
 * file cannot be created. The file must exist before the download, because the server returns secrets only once.
 */
export async function withNewFile(path: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const exists = error.code === 'EEXIST'
    throw usageError(
      `cannot create ${path}: ${exists ? 'the file already exists' : error.message}`,
      'Pass the path of a new file in a folder that you can write to.',
    )
  })
  try {
    await use(file)
  } finally {
    const { size } = await file.stat()
    await file.close()
    if (size === 0) await rm(path)
  }
}

/**
 * Appends the job's secrets to the file. `state` is undefined if the job does not exist. `saved` is false if the server
 * has no secrets to download.
 */
export async function saveSecrets(
  muster: Muster,
  id: string,
  file: FileHandle,
): Promise<{ state: string | undefined; saved: boolean }> {
  const { login } = await muster.select({ login: { bulkJob: { $: { id: [id] }, state: true, secretsUrl: true } } })
  const { state, secretsUrl } = login?.bulkJob[0] ?? {}
  if (secretsUrl == null) return { state, saved: false }
  const failed = (reason: string): CliError =>
    new CliError(`cannot download the secrets: ${reason}`, {
      hint: `Try again with a new file: muster bulk secrets ${id} --file FILE. If the server has already returned the secrets, rotate the secret of each device that is missing from the first file.`,
    })
  // Write each part as it arrives, because an interrupted download cannot be repeated.
  for await (const part of download(secretsUrl, failed)) await file.appendFile(part)
  return { state, saved: true }
}
