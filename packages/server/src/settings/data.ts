import { resolve } from 'node:path'
import { optionalSetting, setting } from './setting.ts'
import { databaseUrl, emailAddress, integer, masterKey, oneOf } from './values.ts'

export const dataSettings = {
  dataFolder: setting({
    name: 'MUSTER_DATA',
    meaning: "Folder for the embedded database, the master key, and the first user's credentials.",
    default: 'data',
    parse: (text) => resolve(text ?? 'data'),
  }),
  databaseUrl: optionalSetting({
    name: 'DATABASE_URL',
    meaning:
      'URL of an external PostgreSQL database, version 15 to 18, in the form postgresql://user:password@host:port/database. Not set: the server uses the embedded database.',
    secret: true,
    parse: databaseUrl,
  }),
  databaseReadUrl: optionalSetting({
    name: 'DATABASE_READ_URL',
    meaning:
      'URL of a streaming standby of the database in DATABASE_URL. List queries read from the standby while it is available and up to date. See the guide on scale. Not set: all queries read from the primary.',
    secret: true,
    parse: databaseUrl,
  }),
  databaseDirectUrl: optionalSetting({
    name: 'DATABASE_DIRECT_URL',
    meaning:
      'URL for direct connections to the database, if DATABASE_URL points to a pooler in transaction mode, such as PgBouncer. Migrations, locks, jobs, and notifications use direct connections. Not set: direct connections also use DATABASE_URL.',
    secret: true,
    parse: databaseUrl,
  }),
  cluster: optionalSetting({
    name: 'MUSTER_CLUSTER',
    meaning:
      'citus: DATABASE_URL points to the coordinator of a Citus cluster. When the server starts, it distributes the tables across the nodes of the cluster. If the database does not have the extension citus, the server logs a warning and distributes no tables, but the restrictions of a cluster still apply. See the guide to Citus.',
    parse: (text) => oneOf(text, ['citus']),
  }),
  databaseUrls: setting({
    name: 'DATABASE_URLS',
    meaning:
      'URLs of the workers of the Citus cluster whose coordinator is in DATABASE_URL, separated by commas. List queries, the mutations setAttribute, setAttributes, and setAttributesMany, and MQTT publications of attributes go to the worker that stores the account or, while that worker is unavailable, to the coordinator. Requires MUSTER_CLUSTER=citus. Not set: all requests go to the coordinator.',
    default: 'not set',
    secret: true,
    parse: (text = '') =>
      text
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(databaseUrl),
  }),
  clusterShards: setting({
    name: 'MUSTER_CLUSTER_SHARDS',
    meaning:
      'Number of shards over which a Citus cluster distributes the accounts. The setting applies only when the tables are first distributed.',
    default: '32',
    parse: (text) => integer(text ?? '32', 1, 1_024),
  }),
  databaseConnections: setting({
    name: 'MUSTER_DATABASE_CONNECTIONS',
    meaning:
      'Maximum number of database connections for requests, per server process. The same limit applies separately to the standby in DATABASE_READ_URL and to each worker in DATABASE_URLS. Each process opens up to 8 more connections to the database for background work, notifications, and probes. With DATABASE_URLS, it also opens up to 3 connections to the coordinator to assign event IDs.',
    default: '13',
    parse: (text) => integer(text ?? '13', 2, 500),
  }),
  statementTimeout: setting({
    name: 'MUSTER_STATEMENT_TIMEOUT',
    meaning:
      'Seconds after which the database cancels a statement. The request or GraphQL field that needs the statement then fails with UNAVAILABLE. 0: no limit.',
    default: '30',
    parse: (text) => integer(text ?? '30', 0, 3_600, 'seconds') * 1_000,
  }),
  masterKey: optionalSetting({
    name: 'MUSTER_MASTER_KEY',
    meaning:
      'The master key, 32 bytes in base64. It encrypts secrets, such as those of access keys, webhooks, and authenticator apps. Not set: the server creates a key on its first start, in MUSTER_DATA/master.key.',
    secret: true,
    parse: masterKey,
  }),
  previousMasterKey: optionalSetting({
    name: 'MUSTER_MASTER_KEY_PREVIOUS',
    meaning:
      'The previous master key, while "muster keys rotate-master" replaces it with MUSTER_MASTER_KEY. The server can decrypt secrets with either key.',
    secret: true,
    parse: masterKey,
  }),
  ownerEmail: setting({
    name: 'MUSTER_OWNER_EMAIL',
    meaning:
      'Email address of the first user. The server creates this user when it starts with a database that contains no users.',
    default: 'owner@localhost',
    parse: (text) => emailAddress(text ?? 'owner@localhost'),
  }),
  eventRetention: setting({
    name: 'MUSTER_EVENT_RETENTION',
    meaning:
      'Minimum number of days that the server keeps events. The server deletes all events of a month together. 0: the server keeps events forever.',
    default: '400',
    parse: (text) => integer(text ?? '400', 0, 36_500, 'days'),
  }),
}
