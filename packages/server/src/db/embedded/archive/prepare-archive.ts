import { chown, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { replacePrivateFile } from '../../../lib/private-file.ts'
import { readIfExists } from '../../../lib/read-if-exists.ts'
import { EmbeddedError } from '../embedded-error.ts'
import type { EmbeddedLog } from '../embedded-log.ts'
import { isRoot, type UserId } from '../privileges.ts'
import { archiveWalFile, walFolderOf } from './wal-archive.ts'
import { timelineOfHistory } from './wal-names.ts'

interface Preparation {
  archive: string
  clusterFolder: string
  /** The user that PostgreSQL and its archive command run as. */
  owner: UserId
  log: EmbeddedLog
}

/**
 * Creates the archive's WAL folder, marks the archive as the archive of this database, and archives the histories of
 * timelines. Rejects if the archive belongs to another database. If the server cannot use the archive, only logs an
 * error, because a server without an archive is better than no server.
 */
export async function prepareArchive({ archive, clusterFolder, owner, log }: Preparation): Promise<void> {
  try {
    const folder = walFolderOf(archive)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (isRoot() && owner.uid !== 0) await chown(folder, owner.uid, owner.gid)
    await claimArchive(archive, await readSystemIdentifier(clusterFolder))
    await archiveHistories(folder, join(clusterFolder, 'pg_wal'))
  } catch (error) {
    if (error instanceof EmbeddedError) throw error
    log.error(
      { err: error, archive },
      'the server cannot use MUSTER_ARCHIVE_DIR, so the write-ahead log may not be archived: fix the problem described in err, then restart the server',
    )
  }
}

async function claimArchive(archive: string, identifier: string): Promise<void> {
  const found = await readArchiveIdentifier(archive)
  if (found === undefined) return replacePrivateFile(join(archive, 'system-identifier'), `${identifier}\n`)
  if (found === identifier) return
  throw new EmbeddedError(
    'other-archive',
    `MUSTER_ARCHIVE_DIR ${archive} contains the archive of another database. Its system identifier is ${found}, but ` +
      `that of this database is ${identifier}. Set MUSTER_ARCHIVE_DIR to an empty folder.`,
  )
}

async function readArchiveIdentifier(archive: string): Promise<string | undefined> {
  return (await readIfExists(join(archive, 'system-identifier')))?.trim()
}

/** Reads the integer that initdb generates for each cluster. It is in the first 64 bits of ControlFileData. */
export async function readSystemIdentifier(clusterFolder: string): Promise<string> {
  const handle = await open(join(clusterFolder, 'global/pg_control'), 'r')
  try {
    const { buffer } = await handle.read(Buffer.alloc(8), 0, 8, 0)
    return buffer.readBigUInt64LE().toString()
  } finally {
    await handle.close()
  }
}

/** A restore creates a timeline while archiving is off, so the next start must archive the timeline's history file. */
async function archiveHistories(folder: string, wal: string): Promise<void> {
  for (const name of await readdir(wal)) {
    if (timelineOfHistory(name) !== undefined) await archiveWalFile(folder, { path: join(wal, name), name })
  }
}
