import type { Selected } from '@muster/client'
import type { Command } from 'commander'
import { CliError } from '../../errors/cli-error.ts'
import { exitCodes } from '../../errors/exit-codes.ts'
import { pastMoment } from '../../options/moment.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { type Column, chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ListOptions {
  since: string
  until?: string
}

const pointFields = { at: true, online: true, minOnline: true, devices: true } as const

type Point = Selected<'PresencePoint', typeof pointFields>

const pointColumns: readonly Column<Point>[] = [
  { name: 'at', value: ({ at }) => at, time: true },
  { name: 'online', value: ({ online }) => online },
  { name: 'minOnline', value: ({ minOnline }) => minOnline },
  { name: 'devices', value: ({ devices }) => devices },
]

export function buildCommand(): Command {
  return newListCommand('presence', { limit: Number.POSITIVE_INFINITY })
    .description(`List how many devices were online over time, oldest interval first. The server chooses the interval
length, so that the list contains at most 1,000 intervals. The columns are at (the start of the interval), online and
minOnline (the average and the lowest number of devices online), and devices (the number of devices in the account).`)
    .requiredOption(
      '--since <when>',
      'start of a time range of at most 400 days: a date, or a duration before now, such as 1d; required',
      pastMoment,
    )
    .option('--until <when>', 'end of the time range: a date, or a duration before now (default: now)', pastMoment)
    .action(run)
}

async function run({ since, until, ...options }: Options): Promise<void> {
  const usual = ['at', 'online', 'minOnline', 'devices']
  const columns = chooseColumns(options.columns, { known: pointColumns, usual })
  const muster = await openMuster(options, 6)
  const { login } = await muster.select({
    login: {
      presence: { $: { from: since, until }, ...pointFields },
    },
  })
  const points = login?.presence
  if (points == null)
    throw new CliError('the access key is restricted to some devices, so it cannot read the presence of all devices', {
      exitCode: exitCodes.refused,
    })
  await printList({ items: points, columns, options, empty: 'The server has no presence data for this time range.' })
}
