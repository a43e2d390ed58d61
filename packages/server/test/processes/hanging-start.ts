/**
 * Loaded into a server ahead of everything: one of its processes that starts while there is a certain file hangs, before it is
 * ready. The file then has its process id for an ending.
 */
import { existsSync, renameSync } from 'node:fs'

const file = process.env.HANG_FILE!
if (process.env.MUSTER_PROCESS !== undefined && existsSync(file)) {
  renameSync(file, `${file}.${process.pid}`)
  process.kill(process.pid, 'SIGSTOP')
}
