/**
 * Preloaded into a server. If a certain file exists, a starting process hangs and appends its ID to the file's name.
 */
import { existsSync, renameSync } from 'node:fs'

const file = process.env.HANG_FILE!
if (process.env.MUSTER_PROCESS !== undefined && existsSync(file)) {
  renameSync(file, `${file}.${process.pid}`)
  process.kill(process.pid, 'SIGSTOP')
}
