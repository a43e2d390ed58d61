import { createBackoff } from '../connection/backoff.ts'
import type { Log } from '../log.ts'
import { type AgentSettings, required } from '../settings.ts'
import type { DeviceState } from '../state/device-file.ts'
import { pause } from '../watch.ts'
import { TryAgainError } from './register.ts'
import { registerMachine } from './register-machine.ts'

const hint =
  'To register this machine, run "muster agent register --url URL --code CODE", or set MUSTER_URL and MUSTER_CODE.'

/** Retries after each `TryAgainError`, but throws other errors. Returns undefined if the signal aborts. */
export async function registerWithRetries(
  settings: AgentSettings,
  log: Log,
  signal: AbortSignal,
): Promise<DeviceState | undefined> {
  const url = required(settings.url, 'this machine is not registered, and no server URL is set', hint)
  const code = required(settings.code, 'this machine is not registered, and no registration code is set', hint)
  const backoff = createBackoff()
  let lastWarning = ''
  while (!signal.aborted) {
    try {
      const { device } = await registerMachine({ ...settings, url, code })
      log.info('registered this machine as a device', { device: device.deviceId })
      return device
    } catch (error) {
      if (!(error instanceof TryAgainError)) throw error
      if (lastWarning !== error.message) log.warn('cannot register this machine; retrying', { reason: error.message })
      lastWarning = error.message
    }
    await pause(backoff.next(), signal)
  }
  return undefined
}

export async function registerOnce(settings: AgentSettings, log: Log): Promise<DeviceState | undefined> {
  const { url, code } = settings
  if (url === undefined || code === undefined) return undefined
  try {
    const { device } = await registerMachine({ ...settings, url, code })
    log.info('registered this machine again', { device: device.deviceId })
    return device
  } catch (error) {
    log.error('cannot register this machine again with the registration code', { reason: (error as Error).message })
    return undefined
  }
}
