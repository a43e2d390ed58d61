/** The status that a running agent reports. */
export interface AgentStatus {
  deviceId: string
  url: string
  broker: string
  connected: boolean
  /** When it was connected or disconnected. */
  since: string
  /** Why it is not connected. */
  problem: string | undefined
  memoryMb: number
  services: { name: string; port: number; state: 'active' | 'inactive' }[]
  values: { attribute: string; value: string | undefined; failure: string | undefined; isReported: boolean }[]
}
