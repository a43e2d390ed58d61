import { resolve } from 'node:path'
import { restoreTo } from '@muster/server/backup/base/restore-from-archive.ts'
import { recordOverConnection } from '@muster/server/features/users/record-installation-event.ts'
import { standardErrorLog } from '../installation/log.ts'
import { readArchive } from './archive-setting.ts'
import { withProgress } from './with-progress.ts'

interface Options {
  to: Date | 'latest'
  from: string | undefined
  replace: boolean | undefined
  timeline: number | undefined
  json: boolean
  withoutKey: boolean
}

export async function restoreToMoment({ to, from, json, ...options }: Options): Promise<void> {
  const { config, archive } = readArchive(from === undefined ? undefined : resolve(from))
  const pino = standardErrorLog()
  const log = { info: pino.info.bind(pino), warn: pino.warn.bind(pino), error: pino.error.bind(pino) }
  const restored = await withProgress({ quiet: json }, (watch) =>
    restoreTo({
      ...options,
      config,
      archive,
      to,
      log,
      onRecovered: (connection, name) =>
        recordOverConnection(connection, pino, { type: 'BACKUP_RESTORE', data: { kind: 'base', name, to } }),
      ...watch,
    }),
  )
  const { backup, lastTransaction, aside } = restored
  if (json) return console.log(JSON.stringify({ dataFolder: config.dataFolder, ...restored }))
  const moment = to === 'latest' ? 'the end of the archive' : to.toISOString()
  console.log(`${config.dataFolder}: restored to ${moment}, from base backup ${backup}`)
  if (lastTransaction !== undefined) console.log(`Last restored transaction: ${lastTransaction.toISOString()}`)
  if (aside !== undefined) console.log(`The previous database is in ${aside}`)
}
