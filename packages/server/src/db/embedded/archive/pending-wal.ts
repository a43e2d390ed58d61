import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterFolderOf } from '../cluster/cluster-folder.ts'
import { SEGMENT_BYTES } from './wal-names.ts'

/** The last segment of a timeline can be partial. */
const isSegment = /^[0-9A-F]{24}(\.partial)?\.ready$/

/**
 * Returns the size, in bytes, of the finished WAL segments that are not in the archive yet. PostgreSQL creates a .ready
 * file for each of them. It also creates one for each history file, but history files are too small to count.
 */
export async function countPendingBytes(dataFolder: string): Promise<number> {
  const names = await readdir(join(clusterFolderOf(dataFolder), 'pg_wal/archive_status'))
  const waiting = names.filter((name) => isSegment.test(name))
  return waiting.length * Number(SEGMENT_BYTES)
}
