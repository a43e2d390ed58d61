import { close, constants, fstat, ftruncate, open, read } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const openFile = promisify(open)
const closeFile = promisify(close)
const statFile = promisify(fstat)
const truncateFile = promisify(ftruncate)

const maxBytes = 8 * 1024 * 1024
const checkIntervalMs = 60_000

export interface LogFile {
  readonly path: string
  /** A file descriptor in append mode. PostgreSQL therefore continues at the new end after the log is truncated. */
  readonly fd: number
  tail(lines?: number): Promise<string>
  close(): Promise<void>
}

/**
 * Opens the log, and checks its size at once and every minute. If the log is larger than 8 MiB, copies it to
 * `<path>.1`, replacing the previous copy, and empties the log.
 */
export async function openLogFile(path: string): Promise<LogFile> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  // In another user's folder, that user could have created a symbolic link, which O_NOFOLLOW rejects.
  const fd = await openFile(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  let from = 0
  const rotate = async (): Promise<void> => {
    if ((await statFile(fd)).size <= maxBytes) return
    await rm(`${path}.1`, { force: true })
    await copyFile(path, `${path}.1`, constants.COPYFILE_EXCL)
    await truncateFile(fd, 0)
    from = 0
  }
  await rotate()
  from = (await statFile(fd)).size
  // On a full disk, the log cannot be rotated, but the server must keep running.
  const timer = setInterval(() => void rotate().catch(() => {}), checkIntervalMs).unref()
  return {
    path,
    fd,
    tail: async (lines = 8) => {
      const { size } = await statFile(fd)
      const start = Math.max(from, size - 16_384)
      return lastLines(await readText(fd, start, size - start), lines)
    },
    close: async () => {
      clearInterval(timer)
      await closeFile(fd)
    },
  }
}

async function readText(fd: number, position: number, length: number): Promise<string> {
  if (length <= 0) return ''
  const { bytesRead, buffer } = await promisify(read)(fd, Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead).toString()
}

export const lastLines = (text: string, lines: number): string => text.trim().split('\n').slice(-lines).join('\n')
