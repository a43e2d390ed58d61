import { execFile } from 'node:child_process'
import { CliError } from '../../errors/cli-error.ts'

export function systemctl(...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('systemctl', args, { timeout: 90_000 }, (error, _stdout, stderr) => {
      if (error === null) return resolve()
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      const why = isMissing ? 'systemd is not installed' : stderr.trim() || error.message
      const hint = isMissing
        ? 'To run the agent without systemd, configure another service manager to run "muster agent run".'
        : undefined
      reject(new CliError(`systemctl ${args.join(' ')}: ${why}`, { hint }))
    })
  })
}
