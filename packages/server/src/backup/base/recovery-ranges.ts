import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { compressedName, readArchived, walFolderOf } from '../../db/embedded/archive/wal-archive.ts'
import {
  historyName,
  parseHistory,
  parseLsn,
  segmentName,
  segmentOf,
  type Timeline,
  timelineOfHistory,
} from '../../db/embedded/archive/wal-names.ts'
import { noneIfMissing } from '../../lib/none-if-missing.ts'
import { BackupError } from '../backup-error.ts'
import { type BaseBackup, listBaseBackups } from './manifest.ts'

export interface RecoveryRange {
  backup: BaseBackup
  from: Date
  /** The time when the last WAL file that follows the backup without a gap was archived. */
  until: Date
}

export interface Recoverable {
  timeline: number
  /** Sorted by base backup, oldest first. */
  ranges: RecoveryRange[]
}

/** Finds the times to which the archive can restore a database on a timeline, by default on the newest timeline. */
export async function findRecoverable(archive: string, timeline?: number): Promise<Recoverable> {
  const names = await walNames(archive)
  const backups = await listBaseBackups(archive)
  const histories = names.flatMap((name) => timelineOfHistory(name) ?? [])
  const id = timeline ?? Math.max(1, ...backups.map(({ manifest }) => manifest.timeline), ...histories)
  const history = await readHistory(archive, id)
  const present = new Set(names)
  const ranges: RecoveryRange[] = []
  for (const backup of backups) {
    if (!isOnTimeline(backup, history)) continue
    const last = lastSegment(backup, history, present)
    if (last === undefined) continue
    const { mtime } = await stat(join(walFolderOf(archive), compressedName(last)))
    ranges.push({ backup, from: new Date(backup.manifest.ended), until: mtime })
  }
  return { timeline: id, ranges }
}

export function pickRange({ ranges, timeline }: Recoverable, to: Date | 'latest'): RecoveryRange {
  const found = ranges.findLast(({ from, until }) => to === 'latest' || (from <= to && to <= until))
  if (found !== undefined) return found
  if (ranges.length === 0) {
    throw new BackupError(
      'out-of-range',
      `The archive contains no base backup with the write-ahead log that is needed to restore timeline ${timeline}: pass another --from or --timeline.`,
    )
  }
  const moment = to === 'latest' ? to : to.toISOString()
  throw new BackupError(
    'out-of-range',
    `The archive cannot restore the database to ${moment}. On timeline ${timeline}, it covers ${describeRanges(ranges)}.`,
  )
}

const describeRanges = (ranges: readonly RecoveryRange[]): string =>
  mergeRanges(ranges)
    .map(({ from, until }) => `${from.toISOString()} to ${until.toISOString()}`)
    .join(', and ')

export function mergeRanges(ranges: readonly RecoveryRange[]): { from: Date; until: Date }[] {
  const merged: { from: Date; until: Date }[] = []
  for (const { from, until } of ranges) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last.until) last.until = until > last.until ? until : last.until
    else merged.push({ from, until })
  }
  return merged
}

async function walNames(archive: string): Promise<string[]> {
  const ending = compressedName('')
  const names = await readdir(walFolderOf(archive)).catch(noneIfMissing)
  return names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length))
}

async function readHistory(archive: string, timeline: number): Promise<Timeline[]> {
  const content = await readArchived(join(walFolderOf(archive), compressedName(historyName(timeline))))
  return parseHistory(timeline, content?.toString('utf8') ?? '')
}

function isOnTimeline({ manifest }: BaseBackup, history: readonly Timeline[]): boolean {
  const timeline = history.find(({ id }) => id === manifest.timeline)
  return timeline !== undefined && (timeline.end === undefined || parseLsn(manifest.stopLsn) <= timeline.end)
}

/** Returns the last segment before the first gap, or undefined if a segment that the backup needs is missing. */
function lastSegment(
  { manifest }: BaseBackup,
  history: readonly Timeline[],
  present: ReadonlySet<string>,
): string | undefined {
  const needed = segmentOf(parseLsn(manifest.stopLsn) - 1n)
  let last: string | undefined
  for (let segment = segmentOf(parseLsn(manifest.startLsn)); ; segment++) {
    // Prefer the newest timeline, whose file also contains the part of the segment from before that timeline began.
    const name = history
      .filter(({ begin, end }) => segmentOf(begin) <= segment && (end === undefined || segment <= segmentOf(end)))
      .map(({ id }) => segmentName(id, segment))
      .findLast((candidate) => present.has(candidate))
    if (name === undefined) return segment > needed ? last : undefined
    last = name
  }
}
