import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { replacePrivateFile } from '../../../lib/private-file.ts'
import { systemCode } from '../embedded-error.ts'

export const walFolderOf = (archive: string): string => join(archive, 'wal')

export const compressedName = (name: string): string => `${name}.zst`

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/**
 * Writes a compressed copy of a file to the archive. Resolves only when the copy is on the archive's disk, because
 * PostgreSQL may then remove the file. Accepts an existing copy with the same content, because PostgreSQL may run the
 * archive command again after a crash. Throws if an existing copy has different content.
 */
export async function archiveWalFile(folder: string, file: { path: string; name: string }): Promise<void> {
  const content = await readFile(file.path)
  const target = join(folder, compressedName(file.name))
  const existing = await readArchived(target)
  if (existing === undefined) return replacePrivateFile(target, await compress(content))
  if (existing.equals(content)) return
  throw new Error(
    `${target} already exists with different content; if another database uses this archive, set MUSTER_ARCHIVE_DIR to another folder`,
  )
}

/**
 * Returns a file's uncompressed content, or undefined if the archive does not contain the file. Throws if the file is
 * damaged or cannot be read.
 */
export async function readArchived(path: string): Promise<Buffer | undefined> {
  try {
    return await decompress(await readFile(path))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** Restores `file.name` from the archive to `file.path`. Returns false if the archive does not contain the file. */
export async function fetchWalFile(folder: string, file: { path: string; name: string }): Promise<boolean> {
  const content = await readArchived(join(folder, compressedName(file.name)))
  if (content === undefined) return false
  await writeFile(file.path, content, { mode: 0o600 })
  return true
}
