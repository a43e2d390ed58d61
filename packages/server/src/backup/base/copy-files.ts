import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { systemCode } from '../../db/embedded/embedded-error.ts'
import { runCommand } from '../../db/embedded/run-command.ts'
import { syncFolder } from '../../lib/private-file.ts'
import { BackupError } from '../backup-error.ts'
import type { ClusterFiles } from './cluster-files.ts'
import { type CopiedFile, dataFolderOf, type Manifest } from './manifest.ts'

const CHUNK = 256 * 1024

/** Called with the number of bytes in each chunk. Copying continues when the promise resolves. */
type OnBytes = (bytes: number) => Promise<void>

/**
 * The folders of the files must exist. PostgreSQL may write to the files at the same time. The replay of the WAL makes
 * the copies consistent.
 */
export async function copyCluster(
  clusterFolder: string,
  target: string,
  { files }: Pick<ClusterFiles, 'files'>,
  onBytes: OnBytes,
): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = []
  for (const path of files) {
    const file = await copyFile(clusterFolder, target, path, onBytes)
    if (file !== undefined) copied.push(file)
  }
  await syncTree(target)
  return copied
}

/** Syncs the file system with sync(1). If that command is missing or fails, syncs each file and folder. */
async function syncTree(folder: string): Promise<void> {
  const { code } = await runCommand(['sync', '--file-system', folder])
  if (code === 0) return
  for (const entry of await readdir(folder, { recursive: true })) await syncFolder(join(folder, entry))
  await syncFolder(folder)
}

/**
 * Returns undefined if PostgreSQL removed the file after the folder was listed. The backup does not need that file,
 * because the replay of the WAL repeats the removal.
 */
async function copyFile(from: string, to: string, path: string, onBytes: OnBytes): Promise<CopiedFile | undefined> {
  const source = await open(join(from, path), 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (source === undefined) return undefined
  const hash = createHash('sha256')
  const target = join(to, `${path}.zst`)
  const { size } = await source.stat()
  // Most files are small, and setting up a stream would take longer than copying them.
  if (size <= CHUNK) {
    const content = await source.readFile()
    await source.close()
    await onBytes(content.length)
    await writeFile(target, zstdCompressSync(content), { flag: 'wx', mode: 0o600 })
    return { path, bytes: content.length, sha256: hash.update(content).digest('hex') }
  }
  let bytes = 0
  const count = async (read: number): Promise<void> => {
    bytes += read
    await onBytes(read)
  }
  await pipeline(
    source.createReadStream({ highWaterMark: CHUNK }),
    counted(hash, count),
    createZstdCompress(),
    createWriteStream(target, { flags: 'wx', mode: 0o600 }),
  )
  return { path, bytes, sha256: hash.digest('hex') }
}

export async function restoreFiles(backup: string, manifest: Manifest, to: string, onBytes: OnBytes): Promise<void> {
  const { folders, files, backupLabel } = manifest
  await writeFile(join(to, 'backup_label'), backupLabel, { flag: 'wx', mode: 0o600 })
  for (const folder of folders) await mkdir(join(to, folder), { recursive: true, mode: 0o700 })
  for (const file of files) {
    const source = join(dataFolderOf(backup), `${file.path}.zst`)
    const sha256 = await restoreFile(source, join(to, file.path), file.bytes, onBytes).catch((error: unknown) => {
      throw isDamage(error) ? damaged(source, error) : error
    })
    if (sha256 !== file.sha256) throw damaged(source)
  }
}

async function restoreFile(source: string, target: string, bytes: number, onBytes: OnBytes): Promise<string> {
  const hash = createHash('sha256')
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  if (bytes <= CHUNK) {
    const content = zstdDecompressSync(await readFile(source), { maxOutputLength: CHUNK })
    await onBytes(content.length)
    await writeFile(target, content, { flag: 'wx', mode: 0o600 })
    return hash.update(content).digest('hex')
  }
  await pipeline(
    createReadStream(source),
    createZstdDecompress(),
    counted(hash, onBytes),
    createWriteStream(target, { flags: 'wx', mode: 0o600 }),
  )
  return hash.digest('hex')
}

const counted = (hash: Hash, onBytes: OnBytes) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      await onBytes(chunk.length)
      yield chunk
    }
  }

function isDamage(error: unknown): boolean {
  const code = systemCode(error) ?? ''
  return code === 'ENOENT' || code === 'ERR_BUFFER_TOO_LARGE' || code.startsWith('ZSTD_') || code.startsWith('Z_')
}

const damaged = (file: string, cause?: unknown): BackupError =>
  new BackupError(
    'damaged',
    `${file} is missing, cannot be decompressed, or does not match its checksum in the manifest.`,
    { cause },
  )
