import type { Selected } from '@muster/client'
import type { Command } from 'commander'
import { findDeviceId } from '../../devices/find-device.ts'
import { pastMoment } from '../../options/moment.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { type Column, chooseColumns } from '../../output/column.ts'
import { localTime } from '../../output/local-time.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ListOptions {
  since: string
  until?: string
}

const segmentFields = { from: true, until: true, state: true } as const

type Segment = Selected<'AvailabilitySegment', typeof segmentFields>

const segmentColumns: readonly Column<Segment>[] = [
  { name: 'from', value: ({ from }) => from, time: true },
  { name: 'until', value: ({ until }) => until, time: true },
  { name: 'state', value: ({ state }) => state },
]

export function buildCommand(): Command {
  return newListCommand('availability', { limit: Number.POSITIVE_INFINITY })
    .description(`List the periods when a device was online or offline, oldest first. The columns are from, until, and
state. Without --json or --csv, the command also prints the percentage of time online and the number of outages.`)
    .argument('<device>', 'ID, hardware ID, or name')
    .requiredOption(
      '--since <when>',
      'start of a time range of at most 400 days: a date, or a duration before now, such as 7d; required',
      pastMoment,
    )
    .option('--until <when>', 'end of the time range: a date, or a duration before now (default: now)', pastMoment)
    .action(run)
}

async function run(nameOrId: string, { since, until, ...options }: Options): Promise<void> {
  const columns = chooseColumns(options.columns, { known: segmentColumns, usual: ['from', 'until', 'state'] })
  const muster = await openMuster(options, 6)
  const { availability } = await muster.getDevice(await findDeviceId(muster, nameOrId), {
    select: {
      availability: {
        $: { from: since, until },
        ...{ share: true, outages: true },
        segments: segmentFields,
      },
    },
  })
  const { segments, share, outages } = availability
  await printList({ items: segments, columns, options, empty: "The device's state in this time range is unknown." })
  if (options.json || options.csv || segments.length === 0) return
  const [start, end] = [localTime(segments[0]!.from), localTime(segments.at(-1)!.until)]
  console.error(`Online ${(share * 100).toFixed(2)}% of the time between ${start} and ${end}. Outages: ${outages}.`)
}
