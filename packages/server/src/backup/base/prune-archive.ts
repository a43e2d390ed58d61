import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { walFolderOf } from '../../db/embedded/archive/wal-archive.ts'
import { parseLsn, segmentNumber, segmentOf } from '../../db/embedded/archive/wal-names.ts'
import { syncFolder } from '../../lib/private-file.ts'
import { baseFolderOf, listBaseBackups, listUnfinished, manifestFile } from './manifest.ts'

/** Removes base backups without a manifest. The caller must hold the backup lock. */
export async function removeUnfinished(archive: string): Promise<void> {
  for (const folder of await listUnfinished(archive)) await rm(folder, { recursive: true, force: true })
}

/**
 * Removes all but the newest `keep` base backups, and the WAL that the remaining backups do not need. Returns the names
 * of the removed backups.
 */
export async function pruneArchive(archive: string, keep: number): Promise<string[]> {
  const backups = await listBaseBackups(archive)
  const removed = backups.slice(0, Math.max(0, backups.length - keep))
  for (const { folder } of removed) {
    // The manifest is removed first. A partially removed backup then counts as unfinished, and no restore uses it.
    await rm(manifestFile(folder), { force: true })
    await syncFolder(folder)
    await rm(folder, { recursive: true, force: true })
  }
  if (removed.length > 0) await syncFolder(baseFolderOf(archive))
  const needed = backups.slice(removed.length).map(({ manifest }) => segmentOf(parseLsn(manifest.startLsn)))
  if (needed.length > 0)
    await removeWal(
      walFolderOf(archive),
      needed.reduce((one, other) => (one < other ? one : other)),
    )
  return removed.map(({ name }) => name)
}

/**
 * Removes the WAL segments before the segment `first`. Segment numbers increase across timelines, so the number alone
 * shows whether a segment is older. Keeps the history files of timelines, because they are small and always needed.
 */
async function removeWal(folder: string, first: bigint): Promise<void> {
  for (const name of await readdir(folder)) {
    const number = segmentNumber(name)
    if (number !== undefined && number < first) await rm(join(folder, name), { force: true })
  }
}
