import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { CliError, exitCodes } from '../cli-error.ts'
import { readCredentials } from '../credentials.ts'
import { type ClientOptions, newClientCommand, prose, wholeNumber } from '../new-command.ts'
import { openMuster } from '../open-muster.ts'
import { onInterrupt } from '../process.ts'
import { showProgress } from '../progress.ts'
import type { Counts } from '../simulate/counts.ts'
import type { Credentials } from '../simulate/device.ts'

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

export function simulateCommand(): Command {
  return newClientCommand('simulate', 'let a made-up fleet sign on, report, drop and return')
    .description(
      prose(`Lets made-up devices sign on over MQTT, report attributes, drop and return for a while, and says what happened. They register
themselves with a code that is made for them and deleted again; --existing takes those of an earlier run instead. Only
servers on this machine, unless told otherwise.`),
    )
    .option('--devices <count>', 'devices, 1 to 20000', wholeNumber(1, 20_000), 10)
    .option('--for <time>', 'how long, such as 90s, 5m or 1h; a day at most', duration(1, 86_400), 60)
    .option('--every <time>', 'how often each device reports', duration(1, 86_400), 10)
    .option(
      '--drop-every <time>',
      'how long a connection lasts on average; 0 for until the end',
      duration(0, 86_400),
      30,
    )
    .option('--rate <count>', 'connections begun a second at most', wholeNumber(1, 10_000), 500)
    .option('--broker <url>', 'mqtt, mqtts, ws or wss URL (default: /mqtt of the server, a WebSocket)', brokerUrl)
    .option('--existing', 'take devices of an earlier run, giving each a new secret')
    .option('--remove', 'remove the devices afterwards')
    .option('--allow-remote', 'let the fleet loose on a server elsewhere')
    .action(run)
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

function duration(least: number, most: number) {
  return (text: string): number => {
    const [, digits, unit = 's'] = /^(\d+)([smh])?$/.exec(text) ?? []
    const seconds = Number(digits) * secondsOf[unit]!
    if (digits !== undefined && seconds >= least && seconds <= most) return seconds
    throw new InvalidArgumentError(`It must be a time such as 30s, 5m or 1h, from ${least} to ${most} seconds.`)
  }
}

function brokerUrl(text: string): string {
  if (/^(mqtts?|wss?):\/\/./.test(text) && URL.canParse(text)) return text
  throw new InvalidArgumentError('It must be a URL such as mqtt://127.0.0.1:1883 or ws://127.0.0.1:4000/mqtt.')
}

async function run(options: Options): Promise<void> {
  const [{ assertLoopback }, { removeDevices }] = await Promise.all([
    import('../simulate/loopback.ts'),
    import('../simulate/devices.ts'),
  ])
  const { url } = await readCredentials(options)
  const muster = await openMuster(options, 6)
  const broker = options.broker ?? webSocketOf(url)
  if (options.allowRemote !== true) {
    assertLoopback(url, 'the server')
    assertLoopback(broker, 'the broker')
  }
  const interruption = onInterrupt(() => console.error('Stopping; Ctrl-C again stops at once.'))
  const devices: Credentials[] = []
  try {
    await prepare(options, { muster, url, devices, signal: interruption.signal })
    const counts = await live(options, { broker, devices, signal: interruption.signal })
    await report(counts, options)
    if (interruption.signal.aborted) process.exitCode = exitCodes.interrupted
    else assertAllSignedOn(counts)
  } finally {
    if (options.remove) await removeDevices(muster, devices)
    interruption.release()
  }
}

/** The way in that every server has, whatever its port of MQTT is. */
const webSocketOf = (url: string): string => `${url.replace(/^http/, 'ws').replace(/\/$/, '')}/mqtt`

interface Preparing {
  muster: Awaited<ReturnType<typeof openMuster>>
  url: string
  devices: Credentials[]
  signal: AbortSignal
}

async function prepare(options: Options, { devices, ...shared }: Preparing): Promise<void> {
  const { registerDevices, takeExistingDevices } = await import('../simulate/devices.ts')
  const progress = showProgress(options.devices, { quiet: options.json ?? false })
  const getReady = options.existing ? takeExistingDevices : registerDevices
  try {
    await getReady({ ...shared, count: options.devices, onProgress: progress.update }, devices)
  } finally {
    progress.stop()
  }
}

interface Living {
  broker: string
  devices: readonly Credentials[]
  signal: AbortSignal
}

async function live({ every, dropEvery, rate, json = false, ...options }: Options, living: Living): Promise<Counts> {
  const [{ runFleet }, { summaryOf }] = await Promise.all([
    import('../simulate/fleet.ts'),
    import('../simulate/counts.ts'),
  ])
  const isLive = !json && process.stderr.isTTY
  const onTick = (counts: Counts): void => {
    if (isLive) process.stderr.write(`\r\u001b[K${summaryOf(counts)}`)
  }
  const counts = await runFleet({ ...living, every, dropEvery, rate, duration: options.for, onTick })
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
    console.log(`devices     ${devices}, ${connects} of them signed on`)
    console.log(`reconnects  ${reconnects}, after ${drops} drops of their own`)
    console.log(`publishes   ${publishes}, ${acks} acknowledged, ${cutShort} cut short by a drop`)
    console.log(`failures    ${failuresOf(counts)}`)
    for (const [what, count] of Object.entries(counts.failures)) console.log(`  ${count} × ${what}`)
  }
}

function assertAllSignedOn({ connects, devices, failures }: Counts): void {
  if (connects === devices) return
  const hint =
    Object.keys(failures).length === 0
      ? 'The time was over before it was their turn: give them longer with --for, or a higher --rate.'
      : 'Is MQTT served there? MUSTER_MQTT_PORT sets the port of the server for it, --broker says where to go instead.'
  throw new CliError(`${devices - connects} of ${devices} devices never signed on`, { hint })
}
