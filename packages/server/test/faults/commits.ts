import pg from 'pg'

/** Changes of one attribute in the base of a device that have an event, by the transactions in which that was written. */
export interface Commits {
  changes: number
  /** Of them, those whose commit holds others. */
  shared: number
  /** The most in one commit. */
  most: number
  /** Commits with several changes of one device, which had stood in line for it. */
  lines: number
  /** Commits with changes of several devices. */
  acrossDevices: number
}

const text = `
  with change as (
    select xmin::text as transaction, device_id from event
    where type = 'ATTRIBUTE_CHANGE' and device_id is not null and data ->> 'context' is null
  ), made as (
    select count(*) as changes, count(distinct device_id) as devices from change group by transaction
  )
  select coalesce(sum(changes), 0)::int as changes, coalesce(sum(changes) filter (where changes > 1), 0)::int as shared,
    coalesce(max(changes), 0)::int as most, (count(*) filter (where changes > devices))::int as lines,
    (count(*) filter (where devices > 1))::int as "acrossDevices"
  from made`

/** Reads them from the database: PostgreSQL keeps with each row the transaction that wrote it, and events are written once. */
export async function readCommits(url: string): Promise<Commits> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Commits>(text)
    return rows[0]!
  } finally {
    await client.end()
  }
}

export const commitFigures = ({ changes, shared, most, lines, acrossDevices }: Commits) => ({
  'changes of a base attribute': changes,
  'of them in a commit with others': shared,
  'most in one commit': most,
  'commits with several of one device': lines,
  'commits of several devices': acrossDevices,
})
