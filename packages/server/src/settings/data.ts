import { resolve } from 'node:path'
import { setting } from './setting.ts'
import { databaseUrl, emailAddress, integer, masterKey } from './values.ts'

/** Where what is kept is kept, and for how long. */
export const dataSettings = {
  dataFolder: setting({
    name: 'MUSTER_DATA',
    meaning: 'Folder of the embedded database, the master key and the first credentials.',
    default: 'data',
    parse: (text) => resolve(text ?? 'data'),
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    meaning: 'PostgreSQL 15 to 18 to use, as postgresql://user:password@host:port/database. Not set: the embedded one.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : databaseUrl(text)),
  }),
  databaseReadUrl: setting({
    name: 'DATABASE_READ_URL',
    meaning:
      'One streaming standby of the PostgreSQL of DATABASE_URL, as another URL: queries of lists read there what it has replayed; see the guide on scale. Not set: everything is read where it is written.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : databaseUrl(text)),
  }),
  databaseDirectUrl: setting({
    name: 'DATABASE_DIRECT_URL',
    meaning:
      'The same database without the pooler that DATABASE_URL leads to, such as PgBouncer in transaction mode: for migrations, locks, jobs and to hear of changes.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : databaseUrl(text)),
  }),
  databaseConnections: setting({
    name: 'MUSTER_DATABASE_CONNECTIONS',
    meaning:
      'Connections to the database that serve requests, at most, for each server process. A process has up to 8 more for its own work.',
    default: '10',
    parse: (text) => integer(text ?? '10', 2, 500),
  }),
  statementTimeout: setting({
    name: 'MUSTER_STATEMENT_TIMEOUT',
    meaning:
      'Seconds after which the database gives up on a statement; 0 for never. What needed it is then answered UNAVAILABLE (503).',
    default: '30',
    parse: (text) => integer(text ?? '30', 0, 3_600) * 1_000,
  }),
  masterKey: setting({
    name: 'MUSTER_MASTER_KEY',
    meaning:
      '32 bytes in base64 that encrypt the secrets of access keys, webhooks and authenticator apps. Not set: made on first start in MUSTER_DATA/master.key.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : masterKey(text)),
  }),
  previousMasterKey: setting({
    name: 'MUSTER_MASTER_KEY_PREVIOUS',
    meaning:
      'The master key so far, while "muster keys rotate-master" puts MUSTER_MASTER_KEY in its place: what is encrypted under either can be read.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : masterKey(text)),
  }),
  ownerEmail: setting({
    name: 'MUSTER_OWNER_EMAIL',
    meaning: 'E-mail address of the first user, created when the database is empty.',
    default: 'owner@localhost',
    parse: (text) => emailAddress(text ?? 'owner@localhost'),
  }),
  eventRetention: setting({
    name: 'MUSTER_EVENT_RETENTION',
    meaning: 'Days that events are kept at least; they go by whole months. 0 for ever.',
    default: '400',
    parse: (text) => integer(text ?? '400', 0, 36_500),
  }),
}
