import type { PermissionName } from '../../permissions.ts'
import type { Viewer } from '../../viewer.ts'

export interface Simulation {
  allowed: boolean | null
  deviceReachable: boolean | null
  attributeReadable: boolean | null
  attributeWritable: boolean | null
  permissions: Verdict[]
  reasons: string[]
  warnings: string[]
  caller: Simulated
}

export interface Verdict {
  permission: PermissionName
  granted: boolean
  deniedBy: Denial['deniedBy'] | null
}

export interface Simulated {
  /** The simulated caller, which has no permissions if the server rejects its credentials. */
  readonly viewer: Viewer
  readonly isRejected: boolean
  /** Whether the simulated key, person, or role belongs to the caller who requested the simulation. */
  readonly isOwn: boolean
}

export interface Denial {
  readonly deniedBy: 'key' | 'role' | 'policy' | 'creator'
  readonly reason: string
}
