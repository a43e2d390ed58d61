export interface AgentStatus {
  deviceId: string
  url: string
  broker: string
  connected: boolean
  /** When the agent last connected or disconnected or, before its first connection, when it started (ISO 8601). */
  since: string
  /** Why the agent is not connected. Undefined while it is connected. */
  problem: string | undefined
  memoryMb: number
  services: { name: string; port: number; state: 'active' | 'inactive' }[]
  values: { attribute: string; value: string | undefined; failure: string | undefined; isReported: boolean }[]
}
