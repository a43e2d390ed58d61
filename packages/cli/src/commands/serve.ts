import type { Command } from 'commander'
import { newCommand, prose } from '../new-command.ts'

export function serveCommand(): Command {
  return newCommand('serve', 'start the server')
    .description(
      prose(`Starts the server, and the embedded database unless DATABASE_URL names another. All settings are environment
variables: HOST and PORT say where to listen (127.0.0.1:4000), MUSTER_DATA where to keep things (data/), MUSTER_WORKERS how many
processes serve (1).
Ctrl-C or SIGTERM ends it once running requests are answered; a second one at once. Away from a terminal, SIGHUP has it read
its certificates again.`),
    )
    .action(async () => {
      // Late, since only this command needs the server's parts.
      const [{ serve }, { readConfig }, { leave }] = await Promise.all([
        import('@muster/server/main.ts'),
        import('@muster/server/config.ts'),
        import('@muster/server/start/leave.ts'),
      ])
      await serve(readConfig()).finally(leave)
    })
}
