import { randomBytes } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file that its owner alone may read, whole or not at all, on disk when the promise resolves. An older file of
 * that name is replaced.
 */
export async function replacePrivateFile(path: string, text: string | AsyncIterable<Uint8Array>): Promise<void> {
  await throughTemporaryFile(path, text, (temporary) => rename(temporary, path))
}

/** The same for a file that must not be there yet: rejects with EEXIST when it is. */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  await throughTemporaryFile(path, text, (temporary) => link(temporary, path))
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

async function throughTemporaryFile(
  path: string,
  text: string | AsyncIterable<Uint8Array>,
  putInPlace: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
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
