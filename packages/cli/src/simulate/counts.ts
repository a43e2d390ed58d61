export interface Counts {
  devices: number
  connected: number
  connects: number
  reconnects: number
  /** Number of connections that devices ended during the simulation, about half of them without a DISCONNECT packet. */
  drops: number
  publishes: number
  acks: number
  /** Number of publications that the server did not acknowledge before the device disconnected. */
  cutShort: number
  failures: Record<string, number>
}

export const newCounts = (devices: number): Counts => ({
  devices,
  connected: 0,
  connects: 0,
  reconnects: 0,
  drops: 0,
  publishes: 0,
  acks: 0,
  cutShort: 0,
  failures: {},
})

export function countFailure(counts: Counts, what: string): void {
  counts.failures[what] = (counts.failures[what] ?? 0) + 1
}

export const failuresOf = ({ failures }: Counts): number =>
  Object.values(failures).reduce((sum, count) => sum + count, 0)

export const summaryOf = (counts: Counts): string =>
  [
    `${counts.connected} of ${counts.devices} devices connected`,
    `${counts.connects} connects`,
    `${counts.reconnects} reconnects`,
    `${counts.publishes} messages published`,
    `${counts.acks} acknowledged`,
    `${failuresOf(counts)} failures`,
  ].join(', ')
