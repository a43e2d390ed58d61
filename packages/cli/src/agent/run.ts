import { usageError } from '../errors/cli-error.ts'
import { brokerUrlOf } from './connection/broker-url.ts'
import { createChangeSignal } from './connection/change-signal.ts'
import { stayConnected } from './connection/stay-connected.ts'
import { readTrustedCertificates } from './connection/trusted-certificates.ts'
import type { Log } from './log.ts'
import { assertSameMachine } from './machine/reject-cloned-disk.ts'
import { registerWithRetries } from './registration/register-with-retries.ts'
import { openServiceHistory } from './services/service-history.ts'
import { type AgentOptions, readSettings } from './settings.ts'
import { createValues } from './sources/unreported-values.ts'
import { type DeviceState, readDevice } from './state/device-file.ts'
import { createStateFolder } from './state/state-folder.ts'
import { serveStatus } from './status/socket.ts'
import { createStatusReport } from './status/status-report.ts'
import { watchServices, watchValues } from './watch.ts'

export async function runAgent(options: AgentOptions, log: Log, signal: AbortSignal): Promise<void> {
  const settings = await readSettings(options)
  const { config, folder } = settings
  await createStateFolder(folder)
  const ca = await readTrustedCertificates(config.ca)
  const history = await openServiceHistory(folder, config.services)
  const values = createValues(config.values, {
    onFailure: ({ attribute, message }) => log.warn('cannot read a value', { attribute, reason: message }),
    onRecovery: (attribute) => log.info('can read a value again', { attribute }),
  })
  const statusReport = createStatusReport({ history, values })
  const socket = await serveStatus(folder, statusReport.current)
  try {
    const device = (await readDevice(folder)) ?? (await registerWithRetries(settings, log, signal))
    if (device === undefined) return
    await assertSameMachine(device)
    assertServer(device, settings.url)
    const broker = settings.broker ?? brokerUrlOf(device.url)
    log.info('this machine is registered as a device', {
      device: device.deviceId,
      server: device.url,
      config: config.file ?? 'none',
    })
    warnOfPlainText(broker, log)
    const watching = { config, history, values, changeSignal: createChangeSignal(), log, signal }
    const watches = await Promise.all([watchServices(watching), watchValues(watching)])
    await stayConnected({ ...watching, settings, device, broker, ca, statusReport })
    await Promise.all(watches.map(({ done }) => done))
    log.info('the agent stopped')
  } finally {
    await socket.close()
  }
}

function assertServer(device: DeviceState, url: string | undefined): void {
  if (url === undefined || new URL(url).href === new URL(device.url).href) return
  throw usageError(
    `this machine is registered with ${device.url}, but the configured server is ${url}`,
    'To keep the registration, correct the server URL in --url, MUSTER_URL, or the configuration. To move this machine to the configured server, run "muster agent register --url URL --code CODE".',
  )
}

function warnOfPlainText(broker: string, log: Log): void {
  const { protocol, hostname } = new URL(broker)
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(hostname)
  if ((protocol === 'ws:' || protocol === 'mqtt:') && !isLocal)
    log.warn(
      'the connection is not encrypted, so others on the network can read the secret; use an https server URL, or a wss or mqtts broker URL',
      { broker },
    )
}
