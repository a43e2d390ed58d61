import type { User } from './servers.ts'

/** A user with a fleet. The benchmark sends requests as this user. */
export interface Fleet {
  user: User
  devices: number
  ids: readonly string[]
  hardwareIds: readonly string[]
}
