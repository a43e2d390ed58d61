import { accountTable } from './account-table.ts'
import { agentEntry } from './agent-table.ts'
import type { CommandEntry } from './command-entry.ts'

const deviceGroup = 'Devices:'
const toolGroup = 'Tools and this machine:'
const serverGroup = 'Server (run on its machine):'

export const commandTable: readonly CommandEntry[] = [
  {
    name: 'devices',
    summary: 'list, register, rename, and delete devices',
    group: deviceGroup,
    description: 'Manages devices. Identify a device by its id, hardware id, or unique name.',
    verbs: [
      {
        name: 'list',
        summary: 'list all or matching devices',
        load: async () => (await import('./devices/list.ts')).listCommand(),
      },
      {
        name: 'get',
        summary: 'show one device with its services and attributes',
        load: async () => (await import('./devices/get.ts')).getCommand(),
      },
      {
        name: 'register',
        summary: 'add a device',
        load: async () => (await import('./devices/register.ts')).registerCommand(),
      },
      {
        name: 'rename',
        summary: 'rename a device',
        load: async () => (await import('./devices/rename.ts')).renameCommand(),
      },
      {
        name: 'delete',
        summary: 'delete devices',
        load: async () => (await import('./devices/delete.ts')).deleteCommand(),
      },
    ],
  },
  {
    name: 'services',
    summary: 'list, add, change, and remove services of devices',
    group: deviceGroup,
    description: 'Manages the services of devices, such as SSH or HTTP.',
    verbs: [
      {
        name: 'list',
        summary: 'list the services of some or all devices',
        load: async () => (await import('./services/list.ts')).listCommand(),
      },
      {
        name: 'types',
        summary: 'list service types',
        load: async () => (await import('./services/types.ts')).typesCommand(),
      },
      {
        name: 'add',
        summary: 'add a service to a device',
        load: async () => (await import('./services/add.ts')).addCommand(),
      },
      {
        name: 'update',
        summary: 'change a service',
        load: async () => (await import('./services/update.ts')).updateCommand(),
      },
      {
        name: 'remove',
        summary: 'remove services',
        load: async () => (await import('./services/remove.ts')).removeCommand(),
      },
    ],
  },
  {
    name: 'attributes',
    summary: 'show and change attributes of one or many devices',
    group: deviceGroup,
    description:
      'Shows and changes the attributes of devices, of services, and of your user, and their overrides in contexts.',
    verbs: [
      {
        name: 'get',
        summary: 'show attributes',
        load: async () => (await import('./attributes/get.ts')).getCommand(),
      },
      {
        name: 'set',
        summary: 'set attributes of one or many devices',
        load: async () => (await import('./attributes/set.ts')).setCommand(),
      },
      {
        name: 'unset',
        summary: 'remove attributes from one or many devices',
        load: async () => (await import('./attributes/unset.ts')).unsetCommand(),
      },
      {
        name: 'resume',
        summary: 'resume an interrupted bulk change',
        load: async () => (await import('./attributes/resume.ts')).resumeCommand(),
      },
    ],
  },
  {
    name: 'events',
    summary: 'list past events and follow new events',
    group: deviceGroup,
    description: 'Lists and follows the events of your account.',
    verbs: [
      {
        name: 'list',
        summary: 'list events, newest first',
        load: async () => (await import('./events/list.ts')).listCommand(),
      },
      {
        name: 'tail',
        summary: 'print events as they happen',
        load: async () => (await import('./events/tail.ts')).tailCommand(),
      },
    ],
  },
  {
    name: 'import',
    summary: 'add and update devices from a CSV file',
    group: deviceGroup,
    load: async () => (await import('./import.ts')).importCommand(),
  },
  {
    name: 'export',
    summary: 'write all devices as CSV',
    group: deviceGroup,
    load: async () => (await import('./export.ts')).exportCommand(),
  },
  ...accountTable,
  {
    name: 'query',
    summary: 'run a GraphQL query or mutation',
    group: toolGroup,
    load: async () => (await import('./query.ts')).queryCommand(),
  },
  {
    name: 'schema',
    summary: 'print the API schema',
    group: toolGroup,
    load: async () => (await import('./schema.ts')).schemaCommand(),
  },
  {
    name: 'doctor',
    summary: 'diagnose problems with a server',
    group: toolGroup,
    load: async () => (await import('./doctor.ts')).doctorCommand(),
  },
  {
    name: 'completion',
    summary: 'print a shell completion script',
    group: toolGroup,
    load: async () => (await import('./completion.ts')).completionCommand(),
  },
  { ...agentEntry, group: toolGroup },
  {
    name: 'serve',
    summary: 'start the server',
    group: serverGroup,
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  {
    name: 'migrate',
    summary: "migrate the database to this release's schema",
    group: serverGroup,
    load: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  {
    name: 'backup',
    summary: 'back up the database',
    group: serverGroup,
    load: async () => (await import('./backup.ts')).backupCommand(),
  },
  {
    name: 'restore',
    summary: 'restore the database from a backup',
    group: serverGroup,
    load: async () => (await import('./restore.ts')).restoreCommand(),
  },
  {
    name: 'users',
    summary: 'manage the users of the installation',
    group: serverGroup,
    description: 'Manages the users of this installation.',
    verbs: [
      {
        name: 'add',
        summary: 'add a user and write the credentials to a file',
        load: async () => (await import('./users/add.ts')).addCommand(),
      },
      {
        name: 'list',
        summary: 'list the users of the installation',
        load: async () => (await import('./users/list.ts')).listCommand(),
      },
      {
        name: 'disable',
        summary: 'disable a user and keep their data',
        load: async () => (await import('./users/disable.ts')).disableCommand(),
      },
      {
        name: 'enable',
        summary: 'enable a disabled user',
        load: async () => (await import('./users/enable.ts')).enableCommand(),
      },
      {
        name: 'remove',
        summary: 'remove a user and all their data',
        load: async () => (await import('./users/remove.ts')).removeCommand(),
      },
      {
        name: 'reset-password',
        summary: 'reset the password of a user and write the new one to a file',
        load: async () => (await import('./users/reset-password.ts')).resetPasswordCommand(),
      },
    ],
  },
  {
    name: 'seed',
    summary: 'fill the database with sample fleets',
    group: serverGroup,
    load: async () => (await import('./seed.ts')).seedCommand(),
  },
  {
    name: 'simulate',
    summary: 'simulate a fleet that connects, reports, and reconnects',
    group: serverGroup,
    load: async () => (await import('./simulate.ts')).simulateCommand(),
  },
]
