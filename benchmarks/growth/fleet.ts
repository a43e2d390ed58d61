import type { User } from './servers.ts'

export interface Fleet {
  user: User
  devices: number
  ids: readonly string[]
  hardwareIds: readonly string[]
}
