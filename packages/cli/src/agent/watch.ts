import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentConfig } from './config/config.ts'
import type { Alarm } from './connection/alarm.ts'
import type { Log } from './log.ts'
import { findServices } from './machine/this-machine.ts'
import { createPrograms } from './services/programs.ts'
import type { ServiceBook } from './services/service-book.ts'
import type { Values, WatchedValue } from './sources/values.ts'

export interface Watching {
  config: AgentConfig
  book: ServiceBook
  values: Values
  /** Rung when something is to be reported. */
  alarm: Alarm
  log: Log
  signal: AbortSignal
}

export interface Watch {
  /** Resolves once it was stopped. */
  over: Promise<void>
}

const said = { new: 'service found', up: 'service is up', down: 'service is down', forgotten: 'service forgotten' }

/** Looks at services, each time it is due, until it is stopped. The first look is over when the promise resolves. */
export async function watchServices({ config, book, alarm, log, signal }: Watching): Promise<Watch> {
  const programs = createPrograms()
  const look = async (): Promise<boolean> => {
    const running = await findServices(config, programs)
    if (running === undefined) {
      log.warn('this system does not say what listens; services are left out')
      return false
    }
    const changes = await book.enter(running, Date.now())
    for (const { what, service } of changes) log.info(said[what], { name: service.name, port: service.port })
    if (changes.length > 0) alarm.ring()
    return true
  }
  const goOn = async (): Promise<void> => {
    while (await pause(config.services.every, signal)) {
      await look().catch((error: Error) => log.warn('the services cannot be looked at', { why: error.message }))
    }
  }
  return { over: (await look()) ? goOn() : Promise.resolve() }
}

/** How long a report waits for all values to be there, the first time. */
const FIRST_LOOKS_MS = 3_000

/** The same for the values of the device's attributes, each at its own pace. */
export async function watchValues({ values, alarm, signal }: Watching): Promise<Watch> {
  const look = async (value: WatchedValue): Promise<void> => {
    if (await value.look(signal)) alarm.ring()
  }
  const goOn = async (value: WatchedValue, first: Promise<void>): Promise<void> => {
    await first
    while (await pause(value.every, signal)) await look(value)
  }
  const firsts = values.each.map(look)
  await Promise.race([Promise.all(firsts), pause(FIRST_LOOKS_MS, signal)])
  return { over: Promise.all(values.each.map((value, index) => goOn(value, firsts[index]!))).then(() => {}) }
}

/** False when it was stopped. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  // Timers hold 31 bits.
  await sleep(Math.min(ms, 2 ** 31 - 1), undefined, { signal }).catch(() => {})
  return !signal.aborted
}
