import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '../../lib/exists.ts'
import { noneIfMissing } from '../../lib/none-if-missing.ts'
import { replacePrivateFile } from '../../lib/private-file.ts'
import { readIfExists } from '../../lib/read-if-exists.ts'
import { BackupError, writtenByOtherRelease } from '../backup-error.ts'

/** The format version that this release writes, and the only version that it reads. */
export const FORMAT = 1

/** The manifest is written last, so a backup that contains one is complete. */
export interface Manifest {
  muster: 'base backup'
  format: number
  release: string
  postgres: number
  systemIdentifier: string
  started: string
  /** The earliest point in time that can be restored from this backup. */
  ended: string
  timeline: number
  startLsn: string
  stopLsn: string
  /** The content of PostgreSQL's file backup_label, which a restore recreates. */
  backupLabel: string
  /** The total size of the database's files, uncompressed. */
  bytes: number
  folders: string[]
  files: CopiedFile[]
}

export interface CopiedFile {
  /** In the backup, the file's name also has the extension .zst. */
  path: string
  bytes: number
  sha256: string
}

export interface BaseBackup {
  name: string
  folder: string
  manifest: Manifest
}

export const baseFolderOf = (archive: string): string => join(archive, 'base')
export const dataFolderOf = (backup: string): string => join(backup, 'data')

const fileName = 'manifest.json'

export const writeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  replacePrivateFile(join(folder, fileName), `${JSON.stringify(manifest)}\n`)

/**
 * Lists the base backups in the archive, oldest first. Omits backups without a manifest, which are unfinished. Throws a
 * BackupError if a manifest is invalid or has another format version.
 */
export async function listBaseBackups(archive: string): Promise<BaseBackup[]> {
  const backups: BaseBackup[] = []
  for (const name of await foldersIn(archive)) {
    const folder = join(baseFolderOf(archive), name)
    const manifest = await readManifest(folder)
    if (manifest !== undefined) backups.push({ name, folder, manifest })
  }
  return backups.sort((one, other) => Date.parse(one.manifest.ended) - Date.parse(other.manifest.ended))
}

export async function listUnfinished(archive: string): Promise<string[]> {
  const unfinished: string[] = []
  for (const name of await foldersIn(archive)) {
    const folder = join(baseFolderOf(archive), name)
    if (!(await exists(join(folder, fileName)))) unfinished.push(folder)
  }
  return unfinished
}

export async function storedBytes({ folder, manifest }: BaseBackup): Promise<number> {
  let bytes = 0
  for (const { path } of manifest.files) bytes += (await stat(join(dataFolderOf(folder), `${path}.zst`))).size
  return bytes
}

export const manifestFile = (folder: string): string => join(folder, fileName)

async function foldersIn(archive: string): Promise<string[]> {
  const entries = await readdir(baseFolderOf(archive), { withFileTypes: true }).catch(noneIfMissing)
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  const file = join(folder, fileName)
  const text = await readIfExists(file)
  if (text === undefined) return undefined
  const manifest = parse(text) as Partial<Manifest>
  const { muster, format, release } = manifest
  if (muster !== 'base backup' || typeof format !== 'number')
    throw new BackupError(
      'damaged',
      `${file} is not the manifest of a base backup. To use the other base backups, move the folder ${folder} out of the archive.`,
    )
  if (format !== FORMAT) throw writtenByOtherRelease(format > FORMAT ? 'newer' : 'older', { what: folder, release })
  return manifest as Manifest
}

function parse(text: string): object {
  try {
    return Object(JSON.parse(text)) as object
  } catch {
    return {}
  }
}
