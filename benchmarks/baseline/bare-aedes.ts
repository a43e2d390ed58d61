import { createServer } from 'node:net'
import { Aedes } from 'aedes'
import { createPool } from '../../packages/server/src/db/pool/create-pool.ts'
import { writeAttribute } from './same-sql-server.ts'

const { DATABASE_URL: connectionString, DATABASE_CONNECTIONS, ACCOUNT_ID: accountId = '' } = process.env
const pool = createPool({
  connection: { connectionString },
  size: Number(DATABASE_CONNECTIONS),
  statementTimeout: 30_000,
})
// The broker accepts every device, because the baselines do not authenticate their clients.
const aedes = await Aedes.createBroker({
  authorizePublish(client, { payload }, done) {
    const attributes = Object.entries(JSON.parse(String(payload)) as Record<string, string>)
    const writes = attributes.map(([name, value]) =>
      writeAttribute({ pool, accountId }, { deviceId: client!.id, name, value }),
    )
    Promise.all(writes).then(
      () => done(),
      (error: Error) => done(error),
    )
  },
})
const server = createServer(aedes.handle)
server.listen(0, '127.0.0.1', () =>
  console.log(`ready at mqtt://127.0.0.1:${(server.address() as { port: number }).port}`),
)
