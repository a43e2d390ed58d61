import type { Command } from 'commander'
import { newCommand, prose } from '../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('serve')
    .description(
      prose(`Starts the server, and the embedded database unless DATABASE_URL is set. All settings are environment variables. HOST and
PORT set the address to listen on (127.0.0.1:4000), MUSTER_DATA the data folder (data/), and MUSTER_WORKERS the number of
processes (1).

Ctrl-C or SIGTERM stops the server after running requests finish; a second signal stops it immediately. Without a terminal,
SIGHUP reloads the certificates.`),
    )
    .action(async () => {
      // Imported here, because only this command needs the server.
      const [{ serve }, { readConfig }, { exitSoon }] = await Promise.all([
        import('@muster/server/main.ts'),
        import('@muster/server/config.ts'),
        import('@muster/server/start/exit-soon.ts'),
      ])
      await serve(readConfig()).finally(exitSoon)
    })
}
