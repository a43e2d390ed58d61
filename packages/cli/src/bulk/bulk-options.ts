import type { Command } from 'commander'
import { whereHelp } from '../devices/where.ts'
import { collect, wholeNumber } from '../options/option-values.ts'
import { type StartOptions, withStartOptions } from './start-previewed.ts'

export interface JobOptions extends StartOptions {
  name?: string
  rate?: number
  maxFailures?: number
}

export interface BulkOptions extends JobOptions {
  where?: string[]
  view?: string
  context?: string
  device?: string[]
  csv?: string
}

export interface AttributeOptions extends BulkOptions {
  services?: string
}

export const withBulkOptions = (command: Command, verb: 'change' | 'delete' = 'change'): Command =>
  withJobOptions(
    command
      .option(
        '--where <filter>',
        `${verb} devices that match a filter; if repeated, all filters must match; for all devices, pass "id:*"`,
        collect,
      )
      .option('--view <view>', `${verb} the devices of a saved view (ID or name)`)
      .option('--device <device>', `${verb} this device (ID, hardware ID, or name); repeatable`, collect)
      .option(
        '--csv <file>',
        verb === 'delete'
          ? 'delete the devices that the rows of a CSV file identify by id, hardwareId, or name; - for standard input'
          : 'change the devices that the rows of a CSV file identify by id, hardwareId, or name, and set the values in the other columns; - for standard input',
      ),
  ).addHelpText('after', whereHelp)

export const withJobOptions = (command: Command): Command =>
  withStartOptions(
    withRate(command.option('--name <name>', 'name of the job')).option(
      '--max-failures <count>',
      'pause the job when more than this many devices have failed since the job was started or last resumed (default: the greater of 100 and 10% of the completed devices)',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    ),
  )

export const withRate = (command: Command): Command =>
  command.option(
    '--rate <count>',
    'maximum number of devices per second, 1 to 10,000 (default: 200)',
    wholeNumber(1, 10_000),
  )

export const jobArguments = ({ name, rate, maxFailures }: JobOptions) => ({ name, rate, maxFailures })
