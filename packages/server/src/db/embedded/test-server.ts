/**
 * A server in little for the tests: starts the embedded database of a folder, says how it went in one line of JSON, and
 * stops the database on SIGTERM or Ctrl-C. `node test-server.ts <data folder>`
 */
import pg from 'pg'
import { startEmbedded } from './embedded.ts'
import { EmbeddedError } from './embedded-error.ts'

const say = (line: object): void => console.log(JSON.stringify(line))
const log = { info() {}, warn() {}, error() {} }

try {
  const embedded = await startEmbedded({ dataFolder: process.argv[2] ?? '', log, onExit: (reason) => say({ reason }) })
  const stop = async (): Promise<void> => {
    // A Ctrl-C must not have reached the database before it is told.
    const client = new pg.Client({ ...embedded.connection })
    await client.connect()
    await client.query('SELECT 1')
    await client.end()
    await embedded.stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  say({ pid: embedded.pid, host: embedded.connection.host })
} catch (error) {
  say(error instanceof EmbeddedError ? { code: error.code, message: error.message } : { message: String(error) })
  process.exit(1)
}
