/** What happened so far. */
export interface Counts {
  devices: number
  /** Signed on at this moment. */
  connected: number
  /** Devices that have signed on at all. */
  connects: number
  reconnects: number
  /** Connections that a device ended by itself, half of them without a word. */
  drops: number
  publishes: number
  acks: number
  /** Published just before the device dropped, and so never acknowledged. */
  cutShort: number
  /** Whatever went wrong, by what it was. */
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

/** One line. */
export const summaryOf = (counts: Counts): string =>
  [
    `${counts.connected} of ${counts.devices} connected`,
    `${counts.connects} connects`,
    `${counts.reconnects} reconnects`,
    `${counts.publishes} publishes`,
    `${counts.acks} acks`,
    `${failuresOf(counts)} failures`,
  ].join(', ')
