import type { Log } from '../log.ts'
import { registerOnce } from '../registration/register-with-retries.ts'
import type { ServiceHistory } from '../services/service-history.ts'
import type { AgentSettings } from '../settings.ts'
import type { Values } from '../sources/unreported-values.ts'
import { type DeviceState, readDevice } from '../state/device-file.ts'
import type { StatusReport } from '../status/status-report.ts'
import { pause } from '../watch.ts'
import { createBackoff } from './backoff.ts'
import type { ChangeSignal } from './change-signal.ts'
import { ConnectError, connect } from './connect.ts'
import { createRejections, type Rejections, reportByHttp } from './rejections.ts'
import { runSession } from './session.ts'

export interface Connecting {
  settings: AgentSettings
  /**
   * The device at startup. The agent rereads the device file before each connection attempt, because a user may
   * register the device again.
   */
  device: DeviceState
  broker: string
  ca: string[] | undefined
  history: ServiceHistory
  values: Values
  changeSignal: ChangeSignal
  statusReport: StatusReport
  log: Log
  signal: AbortSignal
}

/** How long a connection must last before the backoff is reset. */
const STABLE_MS = 60_000
/** Average of the random wait after the server rejects the secret. */
const REJECTED_RETRY_MS = 5 * 60_000
const FILE_CHECK_MS = 2_000

export async function stayConnected(connecting: Connecting): Promise<void> {
  const { settings, log, signal, statusReport } = connecting
  const backoff = createBackoff()
  const rejections = createRejections(log, () => performance.now())
  let device = connecting.device
  let hasWarned = false
  while (!signal.aborted) {
    device = (await readDevice(settings.folder)) ?? device
    const began = performance.now()
    statusReport.identify({ ...device, broker: connecting.broker })
    try {
      await runConnection(device, connecting, rejections)
      hasWarned = false
      if (performance.now() - began >= STABLE_MS) backoff.reset()
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error
      if (signal.aborted) return
      if (error.isRejected) {
        await waitForSecret(device, error, connecting)
        continue
      }
      statusReport.disconnected(error.message)
      // Warn once per outage, not for each attempt.
      if (!hasWarned) log.warn('cannot connect to the server; retrying', { reason: error.message })
      hasWarned = true
    }
    await pause(backoff.next(), signal)
  }
}

async function runConnection(device: DeviceState, connecting: Connecting, rejections: Rejections): Promise<void> {
  const { broker, ca, values, log, signal, statusReport } = connecting
  const { deviceId, secret } = device
  if (rejections.isMuted('values') && values.pending().size > 0) {
    await reportByHttp(values, { url: device.url, device, ca }, log)
  }
  const client = await connect({ broker, deviceId, secret, ca }, signal)
  statusReport.connected()
  log.info('connected to the server', { broker })
  const { interrupted, reason } = await runSession(client, {
    ...connecting,
    deviceId,
    isMuted: rejections.isMuted,
    onAccepted: rejections.accepted,
  })
  if (interrupted !== undefined) rejections.interrupted(interrupted)
  statusReport.disconnected(reason ?? 'the connection was lost')
  if (!signal.aborted) log.warn('the connection to the server was lost; reconnecting', { broker, reason })
}

/**
 * Registers this machine again if a code is set. Without a code or after a failure, waits several minutes or until a
 * user registers this machine again.
 */
async function waitForSecret(device: DeviceState, error: ConnectError, connecting: Connecting): Promise<void> {
  const { settings, log, signal, statusReport } = connecting
  const problem =
    "the server rejected this device's secret: the secret was rotated, the device was deleted, or every member of the account is disabled"
  statusReport.disconnected(problem)
  log.error(problem, {
    device: device.deviceId,
    response: error.message,
    hint: `after a user deletes the device or allows a new registration, run muster agent register --url ${device.url} --code CODE`,
  })
  if (settings.code !== undefined && (await registerOnce({ ...settings, url: device.url }, log)) !== undefined) return
  const until = performance.now() + REJECTED_RETRY_MS * (0.5 + Math.random())
  while (performance.now() < until && (await pause(FILE_CHECK_MS, signal))) {
    const kept = await readDevice(settings.folder)
    if (kept !== undefined && kept.secret !== device.secret) return
  }
}
