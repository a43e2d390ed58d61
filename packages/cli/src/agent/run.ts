import { CliError, exitCodes } from '../cli-error.ts'
import { createAlarm } from './connection/alarm.ts'
import { brokerUrlOf } from './connection/broker-url.ts'
import { stayConnected } from './connection/stay-connected.ts'
import { trustedCertificates } from './connection/trusted.ts'
import type { Log } from './log.ts'
import { assertSameMachine } from './machine/this-machine.ts'
import { registerPatiently } from './registration/register-patiently.ts'
import { openServiceBook } from './services/service-book.ts'
import { type AgentOptions, readSettings } from './settings.ts'
import { createValues } from './sources/values.ts'
import { type DeviceState, readDevice } from './state/device-file.ts'
import { makeStateFolder } from './state/state-folder.ts'
import { serveStatus } from './status/socket.ts'
import { createTeller } from './status/teller.ts'
import { watchServices, watchValues } from './watch.ts'

/** Is this machine's device until it is stopped. */
export async function runAgent(options: AgentOptions, log: Log, signal: AbortSignal): Promise<void> {
  const settings = await readSettings(options)
  const { config, folder } = settings
  await makeStateFolder(folder)
  const ca = await trustedCertificates(config.ca)
  const book = await openServiceBook(folder, config.services)
  const values = createValues(config.values, {
    onFailure: ({ attribute, message }) => log.warn('a value cannot be found out', { attribute, why: message }),
    onRecovery: (attribute) => log.info('a value is found out again', { attribute }),
  })
  const teller = createTeller({ book, values })
  const socket = await serveStatus(folder, teller.tell)
  try {
    const device = (await readDevice(folder)) ?? (await registerPatiently(settings, log, signal))
    if (device === undefined) return
    await assertSameMachine(device)
    assertServer(device, settings.url)
    const broker = settings.broker ?? brokerUrlOf(device.url)
    log.info('this machine is a device', { device: device.deviceId, server: device.url, config: config.file ?? 'none' })
    warnOfPlainText(broker, log)
    const watching = { config, book, values, alarm: createAlarm(), log, signal }
    const watches = await Promise.all([watchServices(watching), watchValues(watching)])
    await stayConnected({ ...watching, settings, device, broker, ca, teller })
    await Promise.all(watches.map(({ over }) => over))
    log.info('stopped')
  } finally {
    await socket.close()
  }
}

function assertServer(device: DeviceState, url: string | undefined): void {
  if (url === undefined || new URL(url).href === new URL(device.url).href) return
  throw new CliError(`this machine is a device at ${device.url}, and ${url} is named`, {
    hint: 'To move it: muster agent register --url URL --code CODE.',
    exitCode: exitCodes.usage,
  })
}

function warnOfPlainText(broker: string, log: Log): void {
  const { protocol, hostname } = new URL(broker)
  const isHere = /^(localhost|127\..*|\[::1\])$/.test(hostname)
  if ((protocol === 'ws:' || protocol === 'mqtt:') && !isHere)
    log.warn('the connection is not encrypted: whoever listens on the way learns the secret', { broker })
}
