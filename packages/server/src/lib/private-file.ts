import { randomBytes } from 'node:crypto'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Whose a file is that root writes: the folder's owner's, so that root and that user can take turns, or root's own. */
type FileOwner = 'folder' | 'root'

/**
 * Writes a file that its owner alone may read, whole or not at all, on disk when the promise resolves. An older file of
 * that name is replaced.
 */
export async function replacePrivateFile(
  path: string,
  text: string | Uint8Array | AsyncIterable<Uint8Array>,
  owner: FileOwner = 'folder',
): Promise<void> {
  await throughTemporaryFile({ path, text, owner }, (temporary) => rename(temporary, path))
}

/** The same for a file that must not be there yet: rejects with EEXIST when it is. */
export async function createPrivateFile(path: string, text: string, owner: FileOwner = 'folder'): Promise<void> {
  await throughTemporaryFile({ path, text, owner }, (temporary) => link(temporary, path))
}

/** Makes what was created, renamed and removed in a folder outlast a power cut. */
export async function syncFolder(folder: string): Promise<void> {
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

async function throughTemporaryFile(
  { path, text, owner }: PrivateFile,
  putInPlace: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      if (owner === 'folder') await leaveToOwnerOf(dirname(path), handle)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await putInPlace(temporary)
    await syncFolder(dirname(path))
  } finally {
    await rm(temporary, { force: true })
  }
}

async function leaveToOwnerOf(folder: string, file: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  // Only a convenience for that user, and none where root lacks the capability.
  await file.chown(uid, gid).catch(() => {})
}
