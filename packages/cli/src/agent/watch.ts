import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentConfig } from './config/config.ts'
import type { ChangeSignal } from './connection/change-signal.ts'
import type { Log } from './log.ts'
import { findServices } from './machine/describe-machine.ts'
import type { ServiceHistory } from './services/service-history.ts'
import { createPrograms } from './services/socket-programs.ts'
import { MAX_TIMER_MS } from './sources/command.ts'
import type { Values, WatchedValue } from './sources/unreported-values.ts'

export interface Watching {
  config: AgentConfig
  history: ServiceHistory
  values: Values
  changeSignal: ChangeSignal
  log: Log
  signal: AbortSignal
}

export interface Watch {
  /** Resolves after the signal aborts, or immediately if there is nothing to watch. */
  done: Promise<void>
}

const changeMessages = {
  new: 'service added',
  up: 'service is up',
  down: 'service is down',
  forgotten: 'service forgotten',
}

/** Scans for services at regular intervals, or once if sockets cannot be listed. Resolves after the first scan. */
export async function watchServices({ config, history, changeSignal, log, signal }: Watching): Promise<Watch> {
  const programs = createPrograms()
  let hasWarned = false
  const scan = async (): Promise<boolean> => {
    const running = await findServices(config, programs)
    if (running === undefined) {
      if (!hasWarned)
        log.warn('cannot list the listening sockets of this system, so the agent does not report services')
      hasWarned = true
      return false
    }
    hasWarned = false
    const changes = await history.update(running, Date.now())
    for (const { what, service } of changes) log.info(changeMessages[what], { name: service.name, port: service.port })
    if (changes.length > 0) changeSignal.notify()
    return true
  }
  const repeat = async (): Promise<void> => {
    while (await pause(config.services.every, signal)) {
      await scan().catch((error: Error) => log.warn('cannot scan for services or save them', { reason: error.message }))
    }
  }
  return { done: (await scan()) ? repeat() : Promise.resolve() }
}

/** The first report waits at most this long for all values. */
const FIRST_READINGS_MS = 3_000

export async function watchValues({ values, changeSignal, signal }: Watching): Promise<Watch> {
  const read = async (value: WatchedValue): Promise<void> => {
    if (await value.read(signal)) changeSignal.notify()
  }
  const repeat = async (value: WatchedValue, first: Promise<void>): Promise<void> => {
    await first
    while (await pause(value.every, signal)) await read(value)
  }
  const firsts = values.each.map(read)
  await Promise.race([Promise.all(firsts), pause(FIRST_READINGS_MS, signal)])
  return { done: Promise.all(values.each.map((value, index) => repeat(value, firsts[index]!))).then(() => {}) }
}

/** Resolves to true after `ms` milliseconds, or to false when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  for (let left = ms; left > 0 && !signal.aborted; left -= MAX_TIMER_MS)
    await sleep(Math.min(left, MAX_TIMER_MS), undefined, { signal }).catch(() => {})
  return !signal.aborted
}
