import { createBackoff } from '../connection/backoff.ts'
import type { Log } from '../log.ts'
import { type AgentSettings, needed } from '../settings.ts'
import type { DeviceState } from '../state/device-file.ts'
import { pause } from '../watch.ts'
import { TryAgainError } from './register.ts'
import { registerMachine } from './register-machine.ts'

const hint = 'Register it: muster agent register --url URL --code CODE, or give MUSTER_URL and MUSTER_CODE.'

/** Registers this machine, trying on while the server is away; undefined when it was stopped. */
export async function registerPatiently(
  settings: AgentSettings,
  log: Log,
  signal: AbortSignal,
): Promise<DeviceState | undefined> {
  const url = needed(settings.url, 'this machine is not registered, and no server is named', hint)
  const code = needed(settings.code, 'this machine is not registered, and there is no registration code', hint)
  const backoff = createBackoff()
  let told = ''
  while (!signal.aborted) {
    try {
      const { device } = await registerMachine({ ...settings, url, code })
      log.info('registered', { device: device.deviceId })
      return device
    } catch (error) {
      if (!(error instanceof TryAgainError)) throw error
      if (told !== error.message) log.warn('not registered yet; trying on', { why: error.message })
      told = error.message
    }
    await pause(backoff.next(), signal)
  }
  return undefined
}

/** Tries the code once, for a device whose secret holds no more; undefined where that does not help. */
export async function registerOnce(settings: AgentSettings, log: Log): Promise<DeviceState | undefined> {
  const { url, code } = settings
  if (url === undefined || code === undefined) return undefined
  try {
    const { device } = await registerMachine({ ...settings, url, code })
    log.info('registered again', { device: device.deviceId })
    return device
  } catch (error) {
    log.error('the code does not help', { why: (error as Error).message })
    return undefined
  }
}
