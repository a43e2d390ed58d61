import pg from 'pg'

/** Counts of changes to devices' base attributes, and of the commits that contain them. */
export interface Commits {
  changes: number
  /** Changes that shared a commit with other changes. */
  shared: number
  /** The maximum number of changes in one commit. */
  most: number
  /** Commits with several changes to one device, which were queued for the device. */
  sameDevice: number
  /** Commits with changes to several devices. */
  acrossDevices: number
}

const statement = `
  with change as (
    select xmin::text as transaction, device_id from event
    where type = 'ATTRIBUTE_CHANGE' and device_id is not null and data ->> 'context' is null
  ), committed as (
    select count(*) as changes, count(distinct device_id) as devices from change group by transaction
  )
  select coalesce(sum(changes), 0)::int as changes, coalesce(sum(changes) filter (where changes > 1), 0)::int as shared,
    coalesce(max(changes), 0)::int as most, (count(*) filter (where changes > devices))::int as "sameDevice",
    (count(*) filter (where devices > 1))::int as "acrossDevices"
  from committed`

/**
 * Counts changes, grouped by the `xmin` of their events, which identifies the transaction because events are never
 * updated.
 */
export async function readCommits(url: string): Promise<Commits> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Commits>(statement)
    return rows[0]!
  } finally {
    await client.end()
  }
}

export const commitFigures = ({ changes, shared, most, sameDevice, acrossDevices }: Commits) => ({
  'changes to a base attribute': changes,
  'changes that shared a commit': shared,
  'maximum number of changes in one commit': most,
  'commits with several changes to one device': sameDevice,
  'commits with changes to several devices': acrossDevices,
})
