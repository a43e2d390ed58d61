import { type Kysely, sql } from 'kysely'

/**
 * Creates the tables of the holds that keep devices active, the server processes that own the holds' connections, and
 * the states that services report.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table server_process (
      id text collate "C" primary key,
      started timestamptz(3) not null default now(),
      expires timestamptz(3) not null
    )`.execute(db)
  await sql`comment on table server_process is
    'Leases of server processes. A process that does not renew its lease in time no longer holds any connections'`.execute(
    db,
  )
  await createDeviceHold(db)
  await createServiceLive(db)

  // A device authenticates with only its ID, so this index does not begin with the account. The index is partial, which
  // keeps the planner from using it for the queries of one account. Such a query would also read the devices of all
  // other accounts.
  await sql`create index device_by_id on device (id) where secret_hash is not null`.execute(db)
  await sql`alter table service add added_by_device boolean not null default false`.execute(db)
}

async function createDeviceHold(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table device_hold (
      account_id text collate "C" not null,
      device_id text collate "C" not null,
      process_id text collate "C",
      until timestamptz(3),
      primary key (account_id, device_id),
      foreign key (account_id, device_id) references device (account_id, id) on delete cascade
    )`.execute(db)
  await sql`comment on table device_hold is
    'Holds that keep a device active: a connection to a server process, or a report that has not expired'`.execute(db)
  // Both indexes are read across accounts: one after a process has died, the other every second to find expired
  // reports.
  await sql`create index device_hold_by_process on device_hold (process_id, account_id, device_id)
    where process_id is not null`.execute(db)
  await sql`create index device_hold_by_until on device_hold (until) where until is not null`.execute(db)
}

async function createServiceLive(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table service_live (
      account_id text collate "C" not null,
      service_id text collate "C" not null,
      device_id text collate "C" not null,
      state text collate "C" not null,
      state_since timestamptz(3) not null,
      last_reported timestamptz(3) not null,
      until timestamptz(3),
      primary key (account_id, service_id),
      foreign key (account_id, service_id) references service (account_id, id) on delete cascade
    ) with (fillfactor = 80)`.execute(db)
  await sql`comment on table service_live is
    'States that services have reported. A service without a row has the state of its device'`.execute(db)
  await sql`create index service_live_of_device on service_live (account_id, device_id)`.execute(db)
  await sql`create index service_live_by_until on service_live (until) where until is not null`.execute(db)
}
