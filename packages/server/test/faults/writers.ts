import { setTimeout as sleep } from 'node:timers/promises'
import type { Change, Ledger, Outcome } from './ledger.ts'
import type { Rig } from './rig.ts'

export const context = 'night'
/**
 * The number of attribute names of each client. It is small, so that clients soon overwrite values. It is not a
 * multiple of three, so that each name gets both a base value and an override.
 */
const NAMES = 13
const TIMEOUT_MS = 10_000
/** The pause after an unacknowledged change. */
const PAUSE_MS = 200

export interface Writers {
  /** Resolves when servers have acknowledged `more` additional changes. */
  acknowledged(more: number): Promise<void>
  stop(): Promise<void>
}

export interface WritersOptions {
  devices: readonly string[]
  perDevice?: number
  firstNumber: number
}

/**
 * Starts clients that change and register devices. The clients of a device use different attribute names. No client
 * sends a change twice.
 */
export async function startWriters(
  rig: Rig,
  ledger: Ledger,
  { devices, perDevice = 1, firstNumber }: WritersOptions,
): Promise<Writers> {
  let next = firstNumber
  let count = 0
  let isStopping = false
  const write = async (device: string, client: number): Promise<void> => {
    while (!isStopping) {
      const number = next++
      const kind = number % 10 === 0 ? 'register' : number % 3 === 0 ? 'context' : 'base'
      const change: Change = {
        number,
        kind,
        device: kind === 'register' ? undefined : device,
        name: `c${client}n${number % NAMES}`,
      }
      await ledger.intend(change)
      const outcome = await send(rig, change)
      await ledger.note(change, outcome)
      if (outcome === 'acknowledged') count++
      else await sleep(PAUSE_MS)
    }
  }
  const clients = Array.from({ length: perDevice }, (_, client) => client)
  const written = Promise.all(devices.flatMap((device) => clients.map((client) => write(device, client))))
  return {
    async acknowledged(more) {
      const target = count + more
      while (count < target) await Promise.race([sleep(10), written])
    },
    async stop() {
      isStopping = true
      await written
    },
  }
}

async function send(rig: Rig, change: Change): Promise<Outcome> {
  try {
    const sent = rig.send(documentOf(change))
    const response = await Promise.race([sent, sleep(TIMEOUT_MS, undefined, { ref: false })])
    return response?.status === 200 && response.body.errors === undefined ? 'acknowledged' : 'unknown'
  } catch {
    return 'unknown'
  }
}

function documentOf({ number, kind, device, name }: Change): string {
  if (kind === 'register') {
    return `mutation { registerDevice(name: "numbered", hardwareId: "${number}") { device { id } } }`
  }
  if (kind === 'base') return `mutation { setAttribute(serviceId: "${device}", name: "${name}", value: "${number}") }`
  return `mutation { setAttributes(serviceId: "${device}", attributes: { ${name}: "${number}" }, context: "${context}") }`
}
