/** How the agent is, as it says itself. */
export interface AgentStatus {
  deviceId: string
  url: string
  broker: string
  connected: boolean
  /** Since when it is, or is not, connected. */
  since: string
  /** Why it is not. */
  problem: string | undefined
  memoryMb: number
  services: { name: string; port: number; state: 'active' | 'inactive' }[]
  values: { attribute: string; value: string | undefined; failure: string | undefined; isReported: boolean }[]
}
