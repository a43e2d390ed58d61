import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupError } from '../backup-error.ts'

/**
 * A restored database recreates the content of these folders, does not need it, or reads it from the archive. The
 * backup therefore contains these folders without their content, as pg_basebackup's backups do.
 */
const COPIED_EMPTY: ReadonlySet<string> = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
])

/** These files belong to the running server, are temporary, are caches, or are written by the backup or the restore. */
const EXCLUDED =
  /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|backup_label(\.old)?|tablespace_map(\.old)?|(recovery|standby)\.signal|.*\.tmp|pg_internal\.init.*|pgsql_tmp.*)$/

const CONTROL_FILE = 'global/pg_control'

export interface ClusterFiles {
  folders: string[]
  /** The control file is last, as in pg_basebackup. */
  files: string[]
}

export async function listClusterFiles(clusterFolder: string): Promise<ClusterFiles> {
  const folders: string[] = []
  const files: string[] = []
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(clusterFolder, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (EXCLUDED.test(entry.name)) continue
      if (entry.isSymbolicLink()) throw hasLinks(path)
      if (entry.isDirectory()) {
        folders.push(path)
        if (!COPIED_EMPTY.has(path)) await visit(path)
      } else if (entry.isFile() && path !== CONTROL_FILE) files.push(path)
    }
  }
  await visit('')
  // The backup omits the files in pg_wal, but not these folders.
  for (const path of ['pg_wal/archive_status', 'pg_wal/summaries']) folders.push(path)
  return { folders, files: [...files, CONTROL_FILE] }
}

const hasLinks = (path: string): BackupError =>
  new BackupError(
    'unsupported',
    `${path} is a symbolic link. Base backups support neither tablespaces nor a moved pg_wal: move the files back into the data folder.`,
  )
