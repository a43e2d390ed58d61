import { randomBytes } from 'node:crypto'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * The owner of a file that root creates. `folder` means the owner of the file's folder, so that both root and that user
 * can run Muster.
 */
type FileOwner = 'folder' | 'root'

/**
 * Writes a file completely or not at all. Only its owner can read the file. Replaces an existing file with that name.
 * Resolves after the file is synced to disk.
 */
export async function replacePrivateFile(
  path: string,
  text: string | Uint8Array | AsyncIterable<Uint8Array>,
  owner: FileOwner = 'folder',
): Promise<void> {
  await viaTemporaryFile({ path, text, owner }, (temporary) => rename(temporary, path))
}

/** Like `replacePrivateFile`, but rejects with EEXIST if the file exists. */
export async function createPrivateFile(path: string, text: string, owner: FileOwner = 'folder'): Promise<void> {
  await viaTemporaryFile({ path, text, owner }, (temporary) => link(temporary, path))
}

/**
 * Syncs a folder. Otherwise, a power failure could undo the creation, renaming, or removal of files in the folder. Does
 * nothing on Windows, which cannot sync folders.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

interface PrivateFile {
  path: string
  text: string | Uint8Array | AsyncIterable<Uint8Array>
  owner: FileOwner
}

async function viaTemporaryFile(
  { path, text, owner }: PrivateFile,
  publish: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      if (owner === 'folder') await giveToOwnerOf(dirname(path), handle)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await publish(temporary)
    await syncFolder(dirname(path))
  } finally {
    await rm(temporary, { force: true })
  }
}

async function giveToOwnerOf(folder: string, file: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  // Errors are ignored, because root may lack the capability to change owners, and the change is only a convenience.
  await file.chown(uid, gid).catch(() => {})
}
