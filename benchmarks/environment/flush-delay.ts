import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StartedEnvironment } from './start-environment.ts'

/**
 * Makes PostgreSQL wait `milliseconds` before it flushes its write-ahead log for a commit (`commit_delay`), to simulate
 * a slow disk. 0 removes the delay.
 */
export async function delayFlushes({ database, pool }: StartedEnvironment, milliseconds: number): Promise<void> {
  const cluster = join(database.folder, 'pg')
  const file = join(cluster, 'postgresql.conf')
  const others = (await readFile(file, 'utf8')).split('\n').filter((line) => !/^commit_(delay|siblings) = /.test(line))
  const delay = milliseconds === 0 ? [] : [`commit_delay = ${milliseconds * 1_000}`, 'commit_siblings = 0']
  await writeFile(file, [...others, ...delay, ''].join('\n').replace(/\n+$/, '\n'))
  // Make PostgreSQL reload the file. Changing the setting with SQL requires a superuser, and the embedded database does
  // not let superusers connect.
  const pid = Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
  process.kill(pid, 'SIGHUP')
  for (;;) {
    const { rows } = await pool.query<{ delay: string }>(`select current_setting('commit_delay') as delay`)
    if (Number(rows[0]!.delay) === milliseconds * 1_000) return
    await sleep(10)
  }
}
