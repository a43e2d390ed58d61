/**
 * PostgreSQL runs this file as its restore_command: `node restore-command.ts <WAL folder of the archive> <name>
 * <path>`. An exit code of 1 means that the archive does not contain the file. If the file is a segment, the replay
 * then ends. If the exit code is above 125, PostgreSQL stops, so it never mistakes a damaged file for the end of the
 * archive.
 */
import { fetchWalFile } from './wal-archive.ts'

const [folder = '', name = '', path = ''] = process.argv.slice(2)

try {
  process.exitCode = (await fetchWalFile(folder, { path, name })) ? 0 : 1
} catch (error) {
  process.stderr.write(`cannot fetch ${name}: ${(error as Error).message}\n`)
  process.exitCode = 200
}
