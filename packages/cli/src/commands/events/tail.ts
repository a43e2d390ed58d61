import type { EventType } from '@muster/client'
import type { Command } from 'commander'
import { findDeviceIds } from '../../devices/find-device.ts'
import { type EventRow, eventColumns, eventFields } from '../../events/event-columns.ts'
import { eventTypes } from '../../events/event-types.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { collect } from '../../options/option-values.ts'
import { printJson, say } from '../../output/print-result.ts'
import { cellOf } from '../../output/table-layout.ts'
import { openMuster } from '../../server/open-muster.ts'
import { printed } from '../../terminal/color.ts'
import { onInterrupt } from '../../terminal/interrupt.ts'
import { type SelectionOptions, selectionArguments, withSelectionOptions } from '../../webhooks/selection-options.ts'

interface Options extends ClientOptions, SelectionOptions {
  type?: EventType[]
  device?: string[]
  after?: string
}

export function buildCommand(): Command {
  const command = newClientCommand('tail')
    .description(`Print events as they happen, one per line, until Ctrl-C. After a lost connection or a server restart,
the command resumes without losing or repeating events. At the end, it prints a command that continues after the last
event.`)
    .option('--type <types>', 'event types, such as device.state,attribute.change; repeatable', eventTypes)
    .option('--device <device>', 'show events of this device (ID, hardware ID, or name); repeatable', collect)
    .option('--after <id>', 'start after the event with this ID')
  return withSelectionOptions(command).action(run)
}

async function run(given: Options): Promise<void> {
  const { type, device = [], after, where, view, context, ...options } = given
  const muster = await openMuster(options, 6)
  const deviceId = await findDeviceIds(muster, device)
  const selection = await selectionArguments(muster, { where, view, context })
  const interruption = onInterrupt(() => {})
  let last: string | undefined
  try {
    const events = muster.events({
      types: type,
      deviceId: deviceId.length > 0 ? deviceId : undefined,
      after,
      where: selection.where ?? undefined,
      view: selection.view ?? undefined,
      context: selection.context ?? undefined,
      select: eventFields,
      signal: interruption.signal,
      onConnect: () => console.error('Connected. Press Ctrl-C to stop.'),
    })
    for await (const event of events) {
      await (options.json ? printJson(event) : say(lineOf(event)))
      last = event.id
    }
  } catch (error) {
    if (!interruption.signal.aborted) throw error
  } finally {
    interruption.release()
    if (last !== undefined) console.error(`To continue from here, run: ${resumeCommand({ ...given, after: last })}`)
  }
}

/**
 * Returns a POSIX shell command that continues after the event `after`. Keeps only the options that select the account
 * and the events.
 */
function resumeCommand(given: Options): string {
  const { credentials, profile, type, device, where, view, context, after } = given
  const selection = { credentials, profile, type, device, where, view, context, after }
  const words = Object.entries(selection).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `--${name} ${shellWord(each)}`),
  )
  return ['muster events tail', ...words].join(' ')
}

const shellWord = (word: string): string =>
  /^[\w.,:/@=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

const shown = ['timestamp', 'type', 'target', 'details']

function lineOf(event: EventRow): string {
  const [time, ...rest] = shown.map((name) => cellOf(eventColumns.find((column) => column.name === name)!, event))
  return `${printed.dim(time!)}  ${rest.join('  ')}`
}
