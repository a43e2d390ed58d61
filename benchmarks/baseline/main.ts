import type { AddressInfo } from 'node:net'
import { createPool } from '../../packages/server/src/db/pool/create-pool.ts'
import { buildBaseline } from './same-sql-server.ts'

// Use the session settings of the server's pool, so that the baseline and the server run the statements under the same
// conditions.
const { DATABASE_URL: connectionString, DATABASE_CONNECTIONS, ACCOUNT_ID: accountId = '' } = process.env
const pool = createPool({
  connection: { connectionString },
  size: Number(DATABASE_CONNECTIONS),
  statementTimeout: 30_000,
})
const server = buildBaseline({ pool, accountId })
server.listen(0, '127.0.0.1', () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
