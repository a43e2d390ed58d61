import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterFolderOf } from '../cluster/cluster.ts'
import { SEGMENT_BYTES, segmentNumber } from './wal-names.ts'

/**
 * Returns the total size of the segments that are waiting to be archived. PostgreSQL creates a .ready file for each of
 * them.
 */
export async function countPendingBytes(dataFolder: string): Promise<number> {
  const names = await readdir(join(clusterFolderOf(dataFolder), 'pg_wal/archive_status'))
  const waiting = names.filter((name) => name.endsWith('.ready') && segmentNumber(name) !== undefined)
  return waiting.length * Number(SEGMENT_BYTES)
}
