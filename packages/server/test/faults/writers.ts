import { setTimeout as sleep } from 'node:timers/promises'
import type { Change, Ledger, Outcome } from './ledger.ts'
import type { Rig } from './rig.ts'

export const context = 'night'
/** Names of each client on its device: each value is written over before long. Not a multiple of three: each is written in the base and in the context. */
const NAMES = 13
/** After which no answer is waited for. */
const PATIENCE_MS = 10_000
/** From a change that was not acknowledged to the next. */
const PAUSE_MS = 200

export interface Writers {
  /** Resolves once so many changes more have been acknowledged. */
  acknowledged(more: number): Promise<void>
  /** Lets what is under way come to its end. */
  stop(): Promise<void>
}

export interface WritersOptions {
  devices: readonly string[]
  /** Clients of each device. */
  perDevice?: number
  firstNumber: number
}

/** Clients that make numbered changes one after the other, each under names of its own, and never one again. */
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
      const wanted = count + more
      while (count < wanted) await Promise.race([sleep(10), written])
    },
    async stop() {
      isStopping = true
      await written
    },
  }
}

async function send(rig: Rig, change: Change): Promise<Outcome> {
  try {
    const answered = rig.send(documentOf(change))
    const answer = await Promise.race([answered, sleep(PATIENCE_MS, undefined, { ref: false })])
    return answer?.status === 200 && answer.body.errors === undefined ? 'acknowledged' : 'unknown'
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
