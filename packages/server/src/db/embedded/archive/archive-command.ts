/**
 * PostgreSQL runs this file as its archive_command: `node archive-command.ts <WAL folder of the archive> <path>
 * <name>`. PostgreSQL keeps the WAL file and repeats the command until the exit code is 0.
 */
import { archiveWalFile } from './wal-archive.ts'

const [folder = '', path = '', name = ''] = process.argv.slice(2)

try {
  await archiveWalFile(folder, { path, name })
} catch (error) {
  // PostgreSQL writes this line to its log.
  process.stderr.write(`cannot archive ${name}: ${(error as Error).message}\n`)
  process.exitCode = 1
}
