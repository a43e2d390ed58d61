import type pg from 'pg'
import { type AccessKey, type Operation, send, toRequest } from '../run/operation.ts'
import type { Fleet } from './fleet.ts'
import type { ServerProcess } from './server-process.ts'
import { isMuster, type System } from './systems.ts'

export interface Environment {
  fleet: Fleet
  pool: pg.Pool
  accessKey: AccessKey
  /** Returns the process of a system. Starts the process on first use. */
  processOf(system: System): Promise<Pick<ServerProcess, 'url' | 'cpuTime'>>
}

export async function runOperation(environment: Environment, system: System, operation: Operation): Promise<unknown> {
  const { url } = await environment.processOf(system)
  return send(url, toRequest(url, operation, isMuster(system) ? environment.accessKey : undefined))
}
