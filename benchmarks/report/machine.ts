import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import type pg from 'pg'
import { version as muster } from '../../packages/server/src/version.ts'
import { peerPackages } from '../environment/install-peers.ts'

export async function describeMachine(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ server_version: string }>('show server_version')
  const peers = [...(await peerPackages())].map(([name, { version }]) => `${name} ${version}`)
  return [
    `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 1e9)} GB, ${process.platform} ${process.arch}`,
    `Load average before the measurements: ${loadavg()[0]!.toFixed(1)}`,
    `Muster ${muster}, Node ${process.versions.node}, PostgreSQL ${rows[0]!.server_version.split(' ')[0]}`,
    peers.join(', '),
  ]
}
