/**
 * PostgreSQL's archive_command: `node archive-command.ts <WAL folder of the archive> <path> <name>`. PostgreSQL retains the WAL
 * and retries the command until it exits with code 0.
 */
import { archiveWalFile } from './wal-files.ts'

const [folder = '', path = '', name = ''] = process.argv.slice(2)

try {
  await archiveWalFile(folder, { path, name })
} catch (error) {
  // This line appears in PostgreSQL's log.
  process.stderr.write(`cannot archive ${name}: ${(error as Error).message}\n`)
  process.exitCode = 1
}
