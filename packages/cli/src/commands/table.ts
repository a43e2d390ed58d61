import { accountTable } from './account-table.ts'
import type { CommandEntry } from './command-entry.ts'

const looking = 'Look after devices:'
const programs = 'For programs and this machine:'
const server = 'The server, where it runs:'

export const commandTable: readonly CommandEntry[] = [
  {
    name: 'devices',
    summary: 'list, register, rename and delete devices',
    group: looking,
    description: 'Devices. Where one is asked for, its id, its hardware id or its name will do, where just one has it.',
    verbs: [
      {
        name: 'list',
        summary: 'list devices, all or those that match',
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
        summary: 'give a device another name',
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
    summary: 'list, add, change and remove services of devices',
    group: looking,
    description: 'Services of devices: what can be reached on them.',
    verbs: [
      {
        name: 'list',
        summary: 'list services of one device or all',
        load: async () => (await import('./services/list.ts')).listCommand(),
      },
      {
        name: 'types',
        summary: 'list the types that a service can have',
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
    summary: 'read and change attributes, of one thing or of many',
    group: looking,
    description: 'Attributes of devices, of services and of yourself, and what overrides them in contexts.',
    verbs: [
      {
        name: 'get',
        summary: 'show attributes',
        load: async () => (await import('./attributes/get.ts')).getCommand(),
      },
      {
        name: 'set',
        summary: 'set attributes of one thing, of many, or of all devices that match',
        load: async () => (await import('./attributes/set.ts')).setCommand(),
      },
      {
        name: 'unset',
        summary: 'remove attributes from one thing, from many, or from all devices that match',
        load: async () => (await import('./attributes/unset.ts')).unsetCommand(),
      },
      {
        name: 'resume',
        summary: 'go on with a change of many that was cut short',
        load: async () => (await import('./attributes/resume.ts')).resumeCommand(),
      },
    ],
  },
  {
    name: 'events',
    summary: 'list what happened, and follow what happens',
    group: looking,
    description: 'Events: what happened to devices and everything else that is yours.',
    verbs: [
      {
        name: 'list',
        summary: 'list what happened, newest first',
        load: async () => (await import('./events/list.ts')).listCommand(),
      },
      {
        name: 'tail',
        summary: 'print what happens, as it happens',
        load: async () => (await import('./events/tail.ts')).tailCommand(),
      },
    ],
  },
  {
    name: 'import',
    summary: 'add and update devices from a CSV file',
    group: looking,
    load: async () => (await import('./import.ts')).importCommand(),
  },
  {
    name: 'export',
    summary: 'write all devices as CSV',
    group: looking,
    load: async () => (await import('./export.ts')).exportCommand(),
  },
  ...accountTable,
  {
    name: 'query',
    summary: 'run a GraphQL document, signed',
    group: programs,
    load: async () => (await import('./query.ts')).queryCommand(),
  },
  {
    name: 'schema',
    summary: 'print the schema of the API',
    group: programs,
    load: async () => (await import('./schema.ts')).schemaCommand(),
  },
  {
    name: 'doctor',
    summary: 'find out why a server does not answer as it should',
    group: programs,
    load: async () => (await import('./doctor.ts')).doctorCommand(),
  },
  {
    name: 'completion',
    summary: 'print what lets a shell complete commands',
    group: programs,
    load: async () => (await import('./completion.ts')).completionCommand(),
  },
  {
    name: 'agent',
    summary: 'make this machine a device',
    group: programs,
    load: async () => (await import('./agent/agent.ts')).agentCommand(),
  },
  {
    name: 'serve',
    summary: 'start the server',
    group: server,
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  {
    name: 'migrate',
    summary: "bring the database to the release's schema",
    group: server,
    load: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  {
    name: 'backup',
    summary: 'back up the database',
    group: server,
    load: async () => (await import('./backup.ts')).backupCommand(),
  },
  {
    name: 'restore',
    summary: 'restore the database from a backup',
    group: server,
    load: async () => (await import('./restore.ts')).restoreCommand(),
  },
  {
    name: 'users',
    summary: 'add users, and give them other passwords',
    group: server,
    description: 'Users of this installation.',
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
        summary: 'disable a user, and keep everything that the user has',
        load: async () => (await import('./users/disable.ts')).disableCommand(),
      },
      {
        name: 'enable',
        summary: 'enable a user who was disabled',
        load: async () => (await import('./users/enable.ts')).enableCommand(),
      },
      {
        name: 'remove',
        summary: 'remove a user with devices, keys, events, and everything else',
        load: async () => (await import('./users/remove.ts')).removeCommand(),
      },
      {
        name: 'reset-password',
        summary: 'give a user another password, and write it to a file',
        load: async () => (await import('./users/reset-password.ts')).resetPasswordCommand(),
      },
    ],
  },
  {
    name: 'seed',
    summary: 'fill the database with made-up fleets',
    group: server,
    load: async () => (await import('./seed.ts')).seedCommand(),
  },
  {
    name: 'simulate',
    summary: 'let a made-up fleet sign on, report, drop and return',
    group: server,
    load: async () => (await import('./simulate.ts')).simulateCommand(),
  },
]
