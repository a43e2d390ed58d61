import type { AddressInfo } from 'node:net'
import { createPool } from '../../packages/server/src/db/database.ts'
import { buildFloor } from './baseline.ts'

// The pool is the server's own, for the same settings of a session.
const { DATABASE_URL: connectionString, DATABASE_CONNECTIONS, ACCOUNT_ID: accountId = '' } = process.env
const pool = createPool({
  connection: { connectionString },
  size: Number(DATABASE_CONNECTIONS),
  statementTimeout: 30_000,
})
const server = buildFloor({ pool, accountId })
server.listen(0, '127.0.0.1', () => {
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
