import type { CommandEntry } from './command-entry.ts'

/** The commands of the agent. */
export const agentEntry: CommandEntry = {
  name: 'agent',
  summary: 'make this machine a device',
  description: 'Makes this machine a device: keeps it connected and reports its services and measurements.',
  verbs: [
    {
      name: 'register',
      summary: 'register this machine with a code',
      load: async () => (await import('./agent/register.ts')).registerCommand(),
    },
    {
      name: 'run',
      summary: 'run the agent until stopped',
      load: async () => (await import('./agent/run.ts')).runCommand(),
    },
    {
      name: 'status',
      summary: 'print the status of the device and the agent',
      load: async () => (await import('./agent/status.ts')).statusCommand(),
    },
    {
      name: 'check',
      summary: 'print what the agent would report',
      load: async () => (await import('./agent/check.ts')).checkCommand(),
    },
    {
      name: 'install',
      summary: 'install the agent as a systemd service',
      load: async () => (await import('./agent/install.ts')).installCommand(),
    },
    {
      name: 'uninstall',
      summary: 'remove the systemd service',
      load: async () => (await import('./agent/uninstall.ts')).uninstallCommand(),
    },
  ],
}
