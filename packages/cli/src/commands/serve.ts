import type { Command } from 'commander'
import { newCommand } from '../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('serve')
    .description(`Start the server and, unless DATABASE_URL is set, the embedded database. All settings are environment
variables. HOST and PORT set the address to listen on (default: 127.0.0.1:4000), MUSTER_DATA sets the data folder
(default: data/), and MUSTER_WORKERS sets the number of processes (default: 1).

Ctrl-C or SIGTERM stops the server after requests in flight finish. To stop without waiting, send another signal.
Without a terminal, SIGHUP reloads the certificates.`)
    .action(async () => {
      const [{ serve }, { readConfig }, { exitSoon }] = await Promise.all([
        import('@muster/server/main.ts'),
        import('@muster/server/config.ts'),
        import('@muster/server/start/exit-soon.ts'),
      ])
      await serve(readConfig()).finally(exitSoon)
    })
}
