/**
 * A server and the processes that it starts for `MUSTER_WORKERS` preload this module. If the file that HANG_FILE names
 * exists, such a process appends its process ID to the file's name, and then hangs.
 */
import { existsSync, renameSync } from 'node:fs'

const file = process.env.HANG_FILE!
if (process.env.MUSTER_PROCESS !== undefined && existsSync(file)) {
  renameSync(file, `${file}.${process.pid}`)
  process.kill(process.pid, 'SIGSTOP')
}
