import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './start-environment.ts'

/**
 * Has PostgreSQL wait before each flush of its log to disk (`commit_delay`), whoever commits, as if the disk took that much longer.
 * Kinder than such a disk in one way: what commits meanwhile is in the same flush.
 */
export async function delayFlushes({ database, pool }: Stage, milliseconds: number): Promise<void> {
  const cluster = join(database.folder, 'pg')
  const file = join(cluster, 'postgresql.conf')
  const others = (await readFile(file, 'utf8')).split('\n').filter((line) => !/^commit_(delay|siblings) = /.test(line))
  const own = milliseconds === 0 ? [] : [`commit_delay = ${milliseconds * 1_000}`, 'commit_siblings = 0']
  await writeFile(file, [...others, ...own, ''].join('\n').replace(/\n+$/, '\n'))
  // Only a superuser may set it, and none can connect: the settings are read anew on this signal, by every session.
  const pid = Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
  process.kill(pid, 'SIGHUP')
  for (;;) {
    const { rows } = await pool.query<{ delay: string }>(`select current_setting('commit_delay') as delay`)
    if (Number(rows[0]!.delay) === milliseconds * 1_000) return
    await sleep(10)
  }
}
