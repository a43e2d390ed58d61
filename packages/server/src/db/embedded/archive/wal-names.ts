/** The size of a WAL segment. The embedded database uses the default of initdb. */
export const SEGMENT_BYTES = 16n * 1024n * 1024n

/** The number of segments that share the middle 8 digits of their names: XLogSegmentsPerXLogId in PostgreSQL. */
const SEGMENTS_PER_ID = 0x1_0000_0000n / SEGMENT_BYTES

/** Parses a position in the WAL, such as `0/2000028`. */
export function parseLsn(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

export const segmentOf = (lsn: bigint): bigint => lsn / SEGMENT_BYTES

const hex = (value: bigint | number): string => value.toString(16).toUpperCase().padStart(8, '0')

/** Returns a segment's file name, such as 000000010000000000000002. */
export const segmentName = (timeline: number, segment: bigint): string =>
  hex(timeline) + hex(segment / SEGMENTS_PER_ID) + hex(segment % SEGMENTS_PER_ID)

/**
 * Returns the segment number in a file name, which may be a segment's name with a suffix such as `.partial`. Returns
 * undefined if the file name does not begin with a segment's name.
 */
export function segmentNumber(name: string): bigint | undefined {
  const [, high, low] = /^[0-9A-F]{8}([0-9A-F]{8})([0-9A-F]{8})(\.|$)/.exec(name) ?? []
  return high === undefined ? undefined : BigInt(`0x${high}`) * SEGMENTS_PER_ID + BigInt(`0x${low}`)
}

/** One timeline in a database's history. Its WAL is valid from `begin` up to `end`. The last timeline has no `end`. */
export interface Timeline {
  id: number
  begin: bigint
  end: bigint | undefined
}

export const historyName = (timeline: number): string => `${hex(timeline)}.history`

export function timelineOfHistory(name: string): number | undefined {
  const [, timeline] = /^([0-9A-F]{8})\.history$/.exec(name) ?? []
  return timeline === undefined ? undefined : Number.parseInt(timeline, 16)
}

/**
 * Parses a timeline's history file. Each line names an ancestor and the position at which that ancestor ended. Returns
 * the ancestors in the order of the file, followed by the timeline itself.
 */
export function parseHistory(timeline: number, text: string): Timeline[] {
  const timelines: Timeline[] = []
  let begin = 0n
  for (const line of text.split('\n')) {
    const [, id, lsn] = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/i.exec(line) ?? []
    if (id === undefined || lsn === undefined) continue
    const end = parseLsn(lsn)
    timelines.push({ id: Number(id), begin, end })
    begin = end
  }
  return [...timelines, { id: timeline, begin, end: undefined }]
}
