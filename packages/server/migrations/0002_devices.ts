import { type Kysely, sql } from 'kysely'

const reserved = ['category', 'status'].flatMap((group) =>
  ['a', 'b', 'c', 'd', 'e'].map((letter) => `${group}_${letter}`),
)

/**
 * Creates the tables of devices and their services. Values that rarely change are in `device`. Values that change often
 * are in the narrow table `device_live`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createDevice(db)
  await createDeviceLive(db)
  await createService(db)
}

async function createDevice(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table device (
      account_id text collate "C" not null references account (id) on delete cascade,
      id text collate "C" not null,
      name text collate "C" not null,
      hardware_id text collate "C",
      platform text collate "C",
      created timestamptz(3) not null default now(),
      secret_hash bytea,
      attributes jsonb not null default '{}',
      override_names jsonb not null default '{}',
      primary key (account_id, id)
    )`.execute(db)
  await sql`create unique index device_hardware_id on device (account_id, hardware_id) where hardware_id is not null`.execute(
    db,
  )

  // Each sort field of lists has an index, in which the ID breaks ties. The indexes on hardware ID and platform omit
  // devices without a value. Lists end with those devices in both directions and read them through the primary key.
  await sql`create index device_by_name on device (account_id, (name collate natural_order), id)`.execute(db)
  await sql`create index device_by_created on device (account_id, created, id)`.execute(db)
  await sql`create index device_by_hardware_id on device (account_id, (hardware_id collate natural_order), id)
    where hardware_id is not null`.execute(db)
  await sql`create index device_by_platform on device (account_id, (platform collate natural_order), id)
    where platform is not null`.execute(db)

  // Filters search for part of a name, ignoring case, and for attribute values.
  await sql`create index device_name_part on device using gin (account_id, lower(name collate "und-x-icu") gin_trgm_ops)`.execute(
    db,
  )
  await sql`create index device_attributes on device using gin (account_id, attributes jsonb_path_ops)`.execute(db)
}

async function createDeviceLive(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table device_live (
      account_id text collate "C" not null,
      device_id text collate "C" not null,
      state text collate "C" not null default 'inactive',
      state_since timestamptz(3) not null default now(),
      last_reported timestamptz(3),
      ${sql.raw(reserved.map((column) => `${column} text collate "C"`).join(', '))},
      primary key (account_id, device_id),
      foreign key (account_id, device_id) references device (account_id, id) on delete cascade
    ) with (fillfactor = 80)`.execute(db)
  await sql`create index device_live_by_state on device_live (account_id, state, device_id)`.execute(db)
  await sql`create index device_live_by_last_reported on device_live (account_id, last_reported, device_id)
    where last_reported is not null`.execute(db)
  for (const column of reserved) {
    // An index row can contain at most 2,704 bytes, but a value can be up to 16 KiB long. Therefore, the index contains
    // only the first 200 characters of each value.
    await sql`create index ${sql.raw(`device_live_by_${column}`)} on device_live
      (account_id, (left(${sql.raw(column)}, 200) collate natural_order), device_id)
      where ${sql.raw(column)} is not null`.execute(db)
  }
}

async function createService(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table service (
      account_id text collate "C" not null,
      device_id text collate "C" not null,
      id text collate "C" not null,
      name text collate "C" not null,
      application integer not null,
      host text collate "C",
      port integer,
      enabled boolean not null default true,
      created timestamptz(3) not null default now(),
      attributes jsonb not null default '{}',
      override_names jsonb not null default '{}',
      primary key (account_id, id),
      foreign key (account_id, device_id) references device (account_id, id) on delete cascade
    )`.execute(db)
  await sql`create index service_of_device on service (account_id, device_id, (name collate natural_order), id)`.execute(
    db,
  )
  await sql`create index service_by_application on service (account_id, application, device_id)`.execute(db)
}
