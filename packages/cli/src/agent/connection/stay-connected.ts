import type { Log } from '../log.ts'
import { registerOnce } from '../registration/register-patiently.ts'
import type { ServiceBook } from '../services/service-book.ts'
import type { AgentSettings } from '../settings.ts'
import type { Values } from '../sources/values.ts'
import { type DeviceState, readDevice } from '../state/device-file.ts'
import type { Teller } from '../status/teller.ts'
import { pause } from '../watch.ts'
import type { Alarm } from './alarm.ts'
import { createBackoff } from './backoff.ts'
import { createRefusals, type Refusals, reportByHttp } from './refusals.ts'
import { runSession } from './session.ts'
import { SignOnError, signOn } from './sign-on.ts'

export interface Connecting {
  settings: AgentSettings
  /** As it was registered; the file is read again before each try, since somebody may register it again meanwhile. */
  device: DeviceState
  broker: string
  ca: string[] | undefined
  book: ServiceBook
  values: Values
  alarm: Alarm
  teller: Teller
  log: Log
  signal: AbortSignal
}

/** How long a connection must have lasted for the next try to come soon. */
const STEADY_MS = 60_000
/** A secret that is refused is tried again at long intervals, and at once when the file holds another. */
const REFUSED_AGAIN_MS = 5 * 60_000
const LOOK_AT_FILE_MS = 2_000

/** Keeps this machine signed on, and the server up to date, until it is stopped. */
export async function stayConnected(connecting: Connecting): Promise<void> {
  const { settings, log, signal, teller } = connecting
  const backoff = createBackoff()
  const refusals = createRefusals(log, () => performance.now())
  let device = connecting.device
  let isToldAway = false
  while (!signal.aborted) {
    device = (await readDevice(settings.folder)) ?? device
    const began = performance.now()
    teller.identify({ ...device, broker: connecting.broker })
    try {
      await beConnected(device, connecting, refusals)
      isToldAway = false
      if (performance.now() - began >= STEADY_MS) backoff.reset()
    } catch (error) {
      if (!(error instanceof SignOnError)) throw error
      if (signal.aborted) return
      if (error.isRefused) {
        await waitForSecret(device, error, connecting)
        continue
      }
      teller.away(error.message)
      // Once for each time that it is away.
      if (!isToldAway) log.warn('the server cannot be reached; trying on', { why: error.message })
      isToldAway = true
    }
    await pause(backoff.next(), signal)
  }
}

/** One connection, from sign-on to its end. */
async function beConnected(device: DeviceState, connecting: Connecting, refusals: Refusals): Promise<void> {
  const { broker, ca, values, log, signal, teller } = connecting
  const { deviceId, secret } = device
  if (refusals.isSilentOn('values') && values.pending().size > 0) {
    await reportByHttp(values, { url: device.url, device, ca }, log)
  }
  const client = await signOn({ broker, deviceId, secret, ca }, signal)
  teller.connected()
  log.info('connected', { broker })
  const cutShort = await runSession(client, {
    ...connecting,
    deviceId,
    isSilentOn: refusals.isSilentOn,
    onTaken: refusals.taken,
  })
  if (cutShort !== undefined) refusals.cutShort(cutShort)
  teller.away('the connection was lost')
  if (!signal.aborted) log.warn('the connection was lost')
}

/** Waits for a secret that may hold: by a code, where one was given, else by whoever registers this machine again. */
async function waitForSecret(device: DeviceState, error: SignOnError, connecting: Connecting): Promise<void> {
  const { settings, log, signal, teller } = connecting
  const problem = "the server does not take this device's secret: it was rotated, or the device deleted"
  teller.away(problem)
  log.error(problem, {
    device: device.deviceId,
    answer: error.message,
    todo: 'muster agent register --code CODE, once the owner allows it or has deleted the device',
  })
  if (settings.code !== undefined && (await registerOnce({ ...settings, url: device.url }, log)) !== undefined) return
  const until = performance.now() + REFUSED_AGAIN_MS * (0.5 + Math.random())
  while (performance.now() < until && (await pause(LOOK_AT_FILE_MS, signal))) {
    const kept = await readDevice(settings.folder)
    if (kept !== undefined && kept.secret !== device.secret) return
  }
}
