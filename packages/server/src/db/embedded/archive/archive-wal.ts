/**
 * PostgreSQL's archive_command: `node archive-wal.ts <WAL folder of the archive> <path> <name>`. PostgreSQL retries until it
 * exits with 0, and keeps the WAL until then.
 */
import { archiveWalFile } from './wal-files.ts'

const [folder = '', path = '', name = ''] = process.argv.slice(2)

try {
  await archiveWalFile(folder, { path, name })
} catch (error) {
  // PostgreSQL's log gets this line.
  process.stderr.write(`cannot archive ${name}: ${(error as Error).message}\n`)
  process.exitCode = 1
}
