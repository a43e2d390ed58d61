// This server runs PostGraphile on Muster's tables. It adds the natural order of names, and a mutation that sets an
// attribute. benchmarks/environment/peer-schema.ts creates the mutation's database function in the schema
// `postgraphile`.
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { TYPES } from 'postgraphile/@dataplan/pg'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { addPgTableOrderBy, orderByAscDesc } from 'postgraphile/utils'

const orderNaturally = (tableName) =>
  addPgTableOrderBy({ schemaName: 'public', tableName }, ({ sql }) =>
    orderByAscDesc('NAME_NATURALLY', ({ alias }) => ({
      fragment: sql`${alias}.name collate natural_order`,
      codec: TYPES.text,
    })),
  )

const { DATABASE_URL: connectionString, DATABASE_CONNECTIONS } = process.env
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [orderNaturally('device'), orderNaturally('service')],
  pgServices: [
    makePgService({
      connectionString,
      schemas: ['public', 'postgraphile'],
      poolConfig: { max: Number(DATABASE_CONNECTIONS) },
    }),
  ],
  grafserv: { graphiql: false, watch: false },
})
const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(0, '127.0.0.1', () => console.log(`ready at http://127.0.0.1:${server.address().port}`))
