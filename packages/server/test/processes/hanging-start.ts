/**
 * Preloaded into a server. A server process that starts while a certain file exists hangs before it is ready, and
 * appends its process id to the name of the file.
 */
import { existsSync, renameSync } from 'node:fs'

const file = process.env.HANG_FILE!
if (process.env.MUSTER_PROCESS !== undefined && existsSync(file)) {
  renameSync(file, `${file}.${process.pid}`)
  process.kill(process.pid, 'SIGSTOP')
}
