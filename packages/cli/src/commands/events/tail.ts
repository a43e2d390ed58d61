import type { EventType } from '@muster/client'
import type { Command } from 'commander'
import { printed } from '../../colour.ts'
import { findDeviceIds } from '../../devices/find-device.ts'
import { type EventRow, eventColumns, eventFields } from '../../events/event-columns.ts'
import { eventTypes } from '../../events/event-types.ts'
import { type ClientOptions, collect, newClientCommand, prose } from '../../new-command.ts'
import { openMuster } from '../../open-muster.ts'
import { printJson, say } from '../../output/print-one.ts'
import { cellOf } from '../../output/table.ts'
import { onInterrupt } from '../../process.ts'

interface Options extends ClientOptions {
  type?: EventType[]
  device?: string[]
  after?: string
}

export function tailCommand(): Command {
  return newClientCommand('tail', 'print what happens, as it happens')
    .description(
      prose(`Prints events as they happen, one a line, until Ctrl-C. When the connection breaks or the server restarts it goes on where it was:
none is lost, none comes twice. At its end it says how to go on from there.`),
    )
    .option('--type <types>', 'such as device.state,attribute.change; may be given again', eventTypes)
    .option('--device <device>', 'of this device: its id, hardware id or name; may be given again', collect)
    .option('--after <id>', 'begin behind this event')
    .action(run)
}

async function run({ type, device = [], after, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 6)
  const deviceId = await findDeviceIds(muster, device)
  const interruption = onInterrupt(() => {})
  let last: string | undefined
  try {
    const events = muster.events({
      ...(type && { types: type }),
      ...(deviceId.length > 0 && { deviceId }),
      ...(after !== undefined && { after }),
      select: eventFields,
      signal: interruption.signal,
      onConnect: () => console.error('Connected; Ctrl-C ends.'),
    })
    for await (const event of events) {
      last = event.id
      await (options.json ? printJson(event) : say(lineOf(event)))
    }
  } catch (error) {
    if (!interruption.signal.aborted) throw error
  } finally {
    interruption.release()
    if (last !== undefined) console.error(`Go on from here: muster events tail --after ${last}`)
  }
}

const shown = ['timestamp', 'type', 'target', 'details']

function lineOf(event: EventRow): string {
  const [time, ...rest] = shown.map((name) => cellOf(eventColumns.find((column) => column.name === name)!, event))
  return `${printed.dim(time!)}  ${rest.join('  ')}`
}
