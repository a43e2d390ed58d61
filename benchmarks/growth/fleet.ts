import type { User } from './servers.ts'

/** A user with a fleet, to which the benchmark sends requests. */
export interface Fleet {
  user: User
  devices: number
  ids: readonly string[]
  hardwareIds: readonly string[]
}
