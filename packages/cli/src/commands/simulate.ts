import { type Command, InvalidArgumentError, Option } from 'commander'
import { brokerUrlOf } from '../agent/connection/broker-url.ts'
import { readCredentials } from '../credentials/credentials.ts'
import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { type ClientOptions, newClientCommand } from '../options/new-command.ts'
import { wholeNumber } from '../options/option-values.ts'
import { openMuster } from '../server/open-muster.ts'
import type { Counts } from '../simulate/counts.ts'
import type { Credentials } from '../simulate/device.ts'
import { onInterrupt } from '../terminal/interrupt.ts'
import { showProgress } from '../terminal/progress.ts'

interface Options extends ClientOptions {
  devices: number
  for: number
  every: number
  dropEvery: number
  rate: number
  broker?: string
  existing?: boolean
  remove?: boolean
  allowRemote?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('simulate')
    .description(`Simulate devices that connect over MQTT, report attributes, disconnect, and reconnect. At the end, the
command prints statistics. The devices register with a temporary registration code. To use devices of earlier runs
instead, pass --existing. The command requires a server on this machine unless you pass --allow-remote.`)
    .option('--devices <count>', 'number of devices, 1 to 20,000', wholeNumber(1, 20_000), 10)
    .addOption(
      new Option('--for <time>', 'duration of the run, such as 90s, 5m, or 1h; at most 24h')
        .argParser(duration(1, 86_400))
        .default(60, '1m'),
    )
    .addOption(
      new Option('--every <time>', 'time between reports of each device, such as 10s or 5m')
        .argParser(duration(1, 86_400))
        .default(10, '10s'),
    )
    .addOption(
      new Option('--drop-every <time>', 'average duration of a connection, such as 30s; 0 keeps connections open')
        .argParser(duration(0, 86_400))
        .default(30, '30s'),
    )
    .option('--rate <count>', 'maximum number of new connections per second', wholeNumber(1, 10_000), 500)
    .option(
      '--broker <url>',
      "mqtt, mqtts, ws, or wss URL of the broker (default: the server's WebSocket at /mqtt)",
      brokerUrl,
    )
    .option('--existing', 'use devices of earlier runs, and rotate their secrets')
    .option('--remove', 'remove the devices at the end')
    .option('--allow-remote', 'allow a server or broker on another machine')
    .action(run)
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

function duration(least: number, most: number) {
  return (text: string): number => {
    const [, digits, unit = 's'] = /^(\d+)([smh])?$/.exec(text) ?? []
    const seconds = Number(digits) * secondsOf[unit]!
    if (digits !== undefined && seconds >= least && seconds <= most) return seconds
    throw new InvalidArgumentError(`Expected a duration from ${least}s to ${most / 3_600}h, such as 30s, 5m, or 1h.`)
  }
}

function brokerUrl(text: string): string {
  if (/^(mqtts?|wss?):\/\/./.test(text) && URL.canParse(text)) return text
  throw new InvalidArgumentError('Expected an mqtt, mqtts, ws, or wss URL with a host, such as mqtt://127.0.0.1:1883.')
}

async function run(options: Options): Promise<void> {
  const [{ assertLoopback }, { removeDevices }] = await Promise.all([
    import('../simulate/assert-loopback.ts'),
    import('../simulate/devices.ts'),
  ])
  const { url } = await readCredentials(options)
  const muster = await openMuster(options, 6)
  const broker = options.broker ?? brokerUrlOf(url)
  if (options.allowRemote !== true) {
    assertLoopback(url, 'the server')
    assertLoopback(broker, 'the broker')
  }
  const interruption = onInterrupt(() => console.error('Stopping. Press Ctrl-C again to stop immediately.'))
  const devices: Credentials[] = []
  try {
    await prepare(options, { muster, url, devices, signal: interruption.signal })
    const counts = await simulateFleet(options, { broker, devices, signal: interruption.signal })
    await report(counts, options)
    if (interruption.signal.aborted) process.exitCode = exitCodes.interrupted
    else assertAllConnected(counts)
  } finally {
    if (options.remove) await removeDevices(muster, devices)
    interruption.release()
  }
}

interface Preparing {
  muster: Awaited<ReturnType<typeof openMuster>>
  url: string
  devices: Credentials[]
  signal: AbortSignal
}

async function prepare(options: Options, { devices, ...shared }: Preparing): Promise<void> {
  const { registerDevices, useExistingDevices } = await import('../simulate/devices.ts')
  const progress = showProgress(options.devices, { quiet: options.json ?? false })
  const getReady = options.existing ? useExistingDevices : registerDevices
  try {
    await getReady({ ...shared, count: options.devices, onProgress: progress.update }, devices)
  } finally {
    progress.stop()
  }
}

interface Simulation {
  broker: string
  devices: readonly Credentials[]
  signal: AbortSignal
}

async function simulateFleet(
  { every, dropEvery, rate, json = false, ...options }: Options,
  shared: Simulation,
): Promise<Counts> {
  const [{ runFleet }, { summaryOf }] = await Promise.all([
    import('../simulate/fleet.ts'),
    import('../simulate/counts.ts'),
  ])
  const isLive = !json && process.stderr.isTTY
  const onTick = (counts: Counts): void => {
    if (isLive) process.stderr.write(`\r\u001b[K${summaryOf(counts)}`)
  }
  const counts = await runFleet({ ...shared, every, dropEvery, rate, duration: options.for, onTick })
  if (isLive) process.stderr.write('\r\u001b[K')
  return counts
}

async function report(counts: Counts, { json = false }: Options): Promise<void> {
  const { failuresOf } = await import('../simulate/counts.ts')
  if (json) {
    const { connected: _connected, ...rest } = counts
    console.log(JSON.stringify(rest))
  } else {
    const { devices, connects, reconnects, drops, publishes, acks, cutShort } = counts
    console.log(`devices     ${devices}, ${connects} connected`)
    console.log(`reconnects  ${reconnects}; intentional disconnects: ${drops}`)
    console.log(`messages    ${publishes} published, ${acks} acknowledged, ${cutShort} interrupted by a disconnect`)
    console.log(`failures    ${failuresOf(counts)}`)
    for (const [what, count] of Object.entries(counts.failures)) console.log(`  ${count} × ${what}`)
  }
}

function assertAllConnected({ connects, devices, failures }: Counts): void {
  if (connects === devices) return
  const hint =
    Object.keys(failures).length === 0
      ? 'The run ended before these devices could connect. Increase --for or --rate.'
      : 'The failures above may show the cause. To connect to another broker, pass --broker.'
  throw new CliError(`${devices - connects} of ${devices} devices never connected`, { hint })
}
