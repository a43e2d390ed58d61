import { badInput } from '../../errors.ts'
import type { State } from '../devices/device.ts'

/** In seconds. */
export const DEFAULT_TTL = 300
const MAX_TTL = 86_400

export function readState(text: string, path: string): State {
  if (text !== 'active' && text !== 'inactive') {
    throw badInput(`${path} must be active or inactive`)
  }
  return text
}

export function assertTtl(seconds: number, path: string): void {
  if (seconds < 1 || seconds > MAX_TTL) throw badInput(`${path} must be from 1 to ${MAX_TTL} seconds, found ${seconds}`)
}
