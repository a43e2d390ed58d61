// This server uses a common stack: Apollo Server on Fastify, Kysely for SQL, and DataLoader to avoid a query per
// device.
import { ApolloServer } from '@apollo/server'
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify'
import DataLoader from 'dataloader'
import Fastify from 'fastify'
import { GraphQLScalarType } from 'graphql'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'

const typeDefs = `#graphql
  scalar DateTime
  scalar Object

  type Query {
    login: User
  }

  type Mutation {
    setAttribute(name: String!, value: String, serviceId: String!): String
  }

  type User {
    id: ID!
    devices(size: Int = 100): DeviceList!
  }

  type DeviceList {
    items: [Device!]!
    hasMore: Boolean!
  }

  type Device {
    id: ID!
    name: String!
    hardwareId: String
    platform: String
    created: DateTime!
    state: String!
    stateSince: DateTime
    lastReported: DateTime
    categoryA: String
    statusA: String
    attributes: Object!
    services: [Service!]!
  }

  type Service {
    id: ID!
    name: String!
    application: Int!
    port: Int
    host: String
    enabled: Boolean!
    state: String!
  }
`

const letters = ['A', 'B', 'C', 'D', 'E']
const reserved = ['category', 'status'].flatMap((kind) =>
  letters.map((letter) => [`${kind}${letter}`, `${kind}_${letter.toLowerCase()}`]),
)

const resolvers = {
  DateTime: new GraphQLScalarType({ name: 'DateTime', serialize: (value) => value.toISOString() }),
  Object: new GraphQLScalarType({ name: 'Object', serialize: (value) => value }),
  Query: {
    login: (_parent, _args, { accountId }) => ({ id: accountId }),
  },
  User: {
    devices: async ({ id }, { size }, { db }) => {
      const rows = await selectDevices(db, id, size + 1)
      return { items: rows.slice(0, size), hasMore: rows.length > size }
    },
  },
  Device: {
    hardwareId: (device) => device.hardware_id,
    stateSince: (device) => device.state_since,
    lastReported: (device) => device.last_reported,
    categoryA: (device) => device.category_a,
    statusA: (device) => device.status_a,
    attributes: (device) => {
      const group = reserved.flatMap(([name, column]) => (device[column] === null ? [] : [[name, device[column]]]))
      return group.length === 0 ? device.attributes : { ...device.attributes, $svc: Object.fromEntries(group) }
    },
    services: ({ id }, _args, { servicesOf }) => servicesOf.load(id),
  },
  Service: {
    state: (service, _args, { stateOf }) => service.state ?? stateOf.load(service.device_id),
  },
  Mutation: {
    setAttribute: (_parent, { serviceId, name, value }, { db, accountId }) =>
      setAttribute(db, { accountId, deviceId: serviceId, name, value }),
  },
}

const selectDevices = (db, accountId, limit) =>
  db
    .selectFrom('device as d')
    .innerJoin('device_live as l', (join) =>
      join.onRef('l.account_id', '=', 'd.account_id').onRef('l.device_id', '=', 'd.id'),
    )
    .selectAll('l')
    .select(['d.id', 'd.name', 'd.hardware_id', 'd.platform', 'd.created', 'd.attributes'])
    .where('d.account_id', '=', accountId)
    .orderBy(sql`d.name collate natural_order`)
    .orderBy('d.id')
    .limit(limit)
    .execute()

async function selectServices(db, accountId, deviceIds) {
  const rows = await db
    .selectFrom('service as s')
    .leftJoin('service_live as live', (join) =>
      join.onRef('live.account_id', '=', 's.account_id').onRef('live.service_id', '=', 's.id'),
    )
    .select(['s.id', 's.device_id', 's.name', 's.application', 's.port', 's.host', 's.enabled', 'live.state'])
    .where('s.account_id', '=', accountId)
    .where('s.device_id', 'in', deviceIds)
    .orderBy(sql`s.name collate natural_order`)
    .orderBy('s.id')
    .execute()
  const byDevice = Map.groupBy(rows, (row) => row.device_id)
  return deviceIds.map((id) => byDevice.get(id) ?? [])
}

async function selectStates(db, accountId, deviceIds) {
  const rows = await db
    .selectFrom('device_live')
    .select(['device_id', 'state'])
    .where('account_id', '=', accountId)
    .where('device_id', 'in', deviceIds)
    .execute()
  const states = new Map(rows.map((row) => [row.device_id, row.state]))
  return deviceIds.map((id) => states.get(id))
}

/** The lock of the device's row (`for no key update`) prevents lost updates. */
const setAttribute = (db, { accountId, deviceId, name, value }) =>
  db.transaction().execute(async (trx) => {
    const device = await trx
      .selectFrom('device')
      .select(['name', 'attributes'])
      .where('account_id', '=', accountId)
      .where('id', '=', deviceId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    const old = device.attributes[name] ?? null
    if (old === value) return value
    await trx
      .updateTable('device')
      .set({ attributes: JSON.stringify({ ...device.attributes, [name]: value }) })
      .where('account_id', '=', accountId)
      .where('id', '=', deviceId)
      .execute()
    await trx
      .insertInto('event')
      .values({
        account_id: accountId,
        type: 'ATTRIBUTE_CHANGE',
        device_id: deviceId,
        actor_id: accountId,
        targets: JSON.stringify([{ id: deviceId, name: device.name, kind: 'device' }]),
        data: JSON.stringify({ context: null, changes: { [name]: { old, new: value } } }),
      })
      .execute()
    return value
  })

const { DATABASE_URL: connectionString, DATABASE_CONNECTIONS, ACCOUNT_ID: accountId } = process.env
const pool = new pg.Pool({ connectionString, max: Number(DATABASE_CONNECTIONS) })
const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
const app = Fastify()
const apollo = new ApolloServer({ typeDefs, resolvers, plugins: [fastifyApolloDrainPlugin(app)] })
await apollo.start()
await app.register(fastifyApollo(apollo), {
  context: async () => ({
    db,
    accountId,
    servicesOf: new DataLoader((ids) => selectServices(db, accountId, ids)),
    stateOf: new DataLoader((ids) => selectStates(db, accountId, ids)),
  }),
})
console.log(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
