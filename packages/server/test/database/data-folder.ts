import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'

/**
 * Puts an embedded database into a data folder, as a first start leaves it, with nothing in it. It is a copy: making one anew
 * takes a second of processor time, which is for the tests of that.
 */
export async function putCluster(dataFolder: string): Promise<void> {
  made ??= findOrMake(join(inject('scratchFolder'), 'cluster'))
  const cluster = join(await made, 'pg')
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  await promisify(execFile)('cp', ['-R', cluster, join(dataFolder, 'pg')])
}

/** One for the run: of several workers that make it, the first one's serves all. */
let made: Promise<string> | undefined

async function findOrMake(place: string): Promise<string> {
  if (existsSync(place)) return place
  const folder = await mkdtemp(`${place}-`)
  const log = { info() {}, warn() {}, error() {} }
  const database = await startEmbedded({ dataFolder: folder, log, onExit() {}, settings: { fsync: 'off' } })
  await database.stop()
  await rename(folder, place).catch(() => {})
  return existsSync(place) ? place : folder
}
