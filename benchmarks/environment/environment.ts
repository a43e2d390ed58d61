import type pg from 'pg'
import { type Contestant, isServer } from './systems.ts'
import type { Fleet } from './fleet.ts'
import { type AccessKey, type Operation, send, toRequest } from '../run/operation.ts'
import type { Program } from './server-process.ts'

/** What contestants meet on: a fleet, and where each of them is. */
export interface Ground {
  fleet: Fleet
  pool: pg.Pool
  /** Whose devices are asked for. */
  accessKey: AccessKey
  /** Started when it is first asked for. */
  program(contestant: Contestant): Promise<Pick<Program, 'url' | 'processorTime'>>
}

/** Asks a contestant once; throws for an error. */
export async function ask(ground: Ground, contestant: Contestant, operation: Operation): Promise<unknown> {
  const { url } = await ground.program(contestant)
  return send(url, toRequest(url, operation, isServer(contestant) ? ground.accessKey : undefined))
}
