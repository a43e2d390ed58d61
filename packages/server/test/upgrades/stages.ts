import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { createEventPartitions } from '../../src/db/event-partitions.ts'

type Db = Kysely<unknown>
const run =
  (text: string) =>
  async (db: Db): Promise<void> =>
    void (await sql.raw(text).execute(db))

/** Functions that write rows after a migration, keyed by the migration's name. */
export const stages: Readonly<Record<string, (db: Db) => Promise<void>>> = {
  '0001_users': run(`
    insert into account (id, email, password_hash, attributes)
    select 'account-' || n, 'user-' || n || '@example.com', 'hash', '{"site": "oslo"}' from generate_series(1, 3) as n;
    insert into server_setting values ('instance', 'of before')`),
  '0002_devices': run(`
    insert into device (account_id, id, name, hardware_id, platform, secret_hash, attributes)
    select 'account-' || n % 2 + 1, 'device-' || n, 'node-' || n, 'hw-' || n, 'linux', decode(md5(n::text), 'hex'),
      jsonb_build_object('site', 'site-' || n % 7, 'disk', jsonb_build_object('size', n::text)) from generate_series(1, 300) as n;
    insert into device_live (account_id, device_id, state, status_a) select account_id, id, 'active', 'up' from device;
    insert into service (account_id, device_id, id, name, application, port, attributes)
    select account_id, id, 'service-' || id, 'ssh', 22, 22, '{"user": "root"}' from device`),
  '0003_attributes': run(`
    insert into attribute_override (account_id, target_id, context, attributes)
    select account_id, id, 'night', '{"site": "bergen"}' from device`),
  '0004_access_keys': run(`
    insert into access_key (account_id, key, algorithm, encrypted_secret)
    select id, 'key-' || id, 'hmac-sha256', '\\x00ff' from account;
    insert into used_nonce values ('key-account-1', 'nonce', now() + interval '1 hour')`),
  '0005_events': async (db) => {
    await createEventPartitions(db as Database, new Date())
    await addEvents(db)
  },
  '0006_presence': run(`
    insert into server_process (id, expires) values ('process', now());
    insert into device_hold (account_id, device_id, process_id) select account_id, id, 'process' from device where id like '%1';
    insert into service_live select account_id, id, device_id, 'active', now(), now(), null from service`),
  '0007_registration_codes': run(`
    insert into registration_code (account_id, id, code_hash, prefix, uses, expires)
    select id, 'code', decode(md5(id), 'hex'), 'abc', 5, now() + interval '1 day' from account;
    update device set reregister_until = now() + interval '1 day' where id like '%2'`),
  '0008_webhooks': run(`
    insert into webhook (account_id, id, url, events, encrypted_secret)
    select id, 'webhook', 'https://example.com/', '{DEVICE_REGISTER}', '\\x01' from account;
    insert into webhook_sending (account_id, webhook_id, failures) select account_id, id, 2 from webhook;
    insert into webhook_delivery (account_id, webhook_id, id, event_id, body, next_attempt)
    select account_id, id, 'delivery-' || n, n, '{}', now() from webhook, generate_series(1, 100) as n;
    insert into job_worker (id) values ('worker')`),
  '0009_feed': (db) => addEvents(db),
  '0010_sessions': run(`
    insert into session (account_id, id, token, expires) select id, 'session', 'token-' || id, now() + interval '1 day' from account;
    insert into account_totp (account_id, id, encrypted_secret, encrypted_backup_codes) select id, 'totp-' || id, 'secret', 'codes' from account;
    insert into passkey (account_id, id, credential_id, public_key, counter, device_type, backed_up)
    select id, 'passkey-' || id, 'credential-' || id, 'key', 4294967295, 'singleDevice', false from account;
    insert into sign_in_step (id, identifier, value, expires) values ('step', 'identifier', 'value', now() + interval '1 hour');
    insert into sign_in_tries values ('subject', 3, now() + interval '1 hour')`),
}

async function addEvents(db: Db): Promise<void> {
  await sql`
    insert into event (account_id, type, device_id, targets)
    select account_id, 'DEVICE_REGISTER', id, jsonb_build_array(id) from device`.execute(db)
}
