import type { AddressInfo } from 'node:net'
import { createPool } from '../../packages/server/src/db/pool/create-pool.ts'
import { buildBaseline } from './same-sql-server.ts'

const { DATABASE_URL: connectionString, DATABASE_CONNECTIONS, ACCOUNT_ID: accountId = '' } = process.env
// Use the server's `createPool`, so that the baseline's sessions have the same settings as the server's sessions.
const pool = createPool({
  connection: { connectionString },
  size: Number(DATABASE_CONNECTIONS),
  statementTimeout: 30_000,
})
const server = buildBaseline({ pool, accountId })
server.listen(0, '127.0.0.1', () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
