/**
 * Starts an embedded database and prints, as JSON, its process ID, socket folder, and warnings, or the error. Stops the
 * database on SIGTERM or SIGINT.
 */
import pg from 'pg'
import { startEmbedded } from './embedded.ts'
import { EmbeddedError } from './embedded-error.ts'

const print = (line: object): void => console.log(JSON.stringify(line))
const warnings: string[] = []
const warn = (_details: object, message: string): void => void warnings.push(message)
const log = { info() {}, warn, error() {} }

try {
  const embedded = await startEmbedded({
    dataFolder: process.argv[2] ?? '',
    log,
    onExit: (reason) => print({ reason }),
  })
  const stop = async (): Promise<void> => {
    // The query succeeds only if Ctrl-C did not reach the database directly.
    const client = new pg.Client({ ...embedded.connection })
    await client.connect()
    await client.query('SELECT 1')
    await client.end()
    await embedded.stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  print({ pid: embedded.pid, host: embedded.connection.host, warnings })
} catch (error) {
  print(error instanceof EmbeddedError ? { code: error.code, message: error.message } : { message: String(error) })
  process.exit(1)
}
