import type { CommandEntry } from './command-entry.ts'

const group = 'Your account:'

/** The commands for access keys, registration codes, and webhooks. */
export const accountTable: readonly CommandEntry[] = [
  {
    name: 'configure',
    summary: 'save the credentials of a server in a profile',
    group,
    load: async () => (await import('./configure.ts')).configureCommand(),
  },
  {
    name: 'keys',
    summary: 'list, create, disable, and delete access keys',
    group,
    description:
      'Manages access keys, which programs use to sign requests, and the master key, which encrypts their secrets.',
    verbs: [
      {
        name: 'list',
        summary: 'list access keys',
        load: async () => (await import('./keys/list.ts')).listCommand(),
      },
      {
        name: 'create',
        summary: 'create an access key',
        load: async () => (await import('./keys/create.ts')).createCommand(),
      },
      {
        name: 'enable',
        summary: 'enable an access key',
        load: async () => (await import('./keys/enable.ts')).enableCommand(),
      },
      {
        name: 'disable',
        summary: 'disable an access key',
        load: async () => (await import('./keys/disable.ts')).disableCommand(),
      },
      {
        name: 'delete',
        summary: 'delete access keys',
        load: async () => (await import('./keys/delete.ts')).deleteCommand(),
      },
      {
        name: 'rotate-master',
        summary: 'rotate the master key',
        load: async () => (await import('./keys/rotate-master.ts')).rotateMasterCommand(),
      },
    ],
  },
  {
    name: 'codes',
    summary: 'list, create, and delete registration codes',
    group,
    description: 'Manages registration codes, which devices use to register themselves.',
    verbs: [
      {
        name: 'list',
        summary: 'list registration codes',
        load: async () => (await import('./codes/list.ts')).listCommand(),
      },
      {
        name: 'create',
        summary: 'create a registration code',
        load: async () => (await import('./codes/create.ts')).createCommand(),
      },
      {
        name: 'delete',
        summary: 'delete registration codes',
        load: async () => (await import('./codes/delete.ts')).deleteCommand(),
      },
    ],
  },
  {
    name: 'webhooks',
    summary: 'list, create, test, and listen to webhooks',
    group,
    description: 'Manages webhooks, which send events to a URL.',
    verbs: [
      {
        name: 'list',
        summary: 'list webhooks',
        load: async () => (await import('./webhooks/list.ts')).listCommand(),
      },
      {
        name: 'create',
        summary: 'create a webhook',
        load: async () => (await import('./webhooks/create.ts')).createCommand(),
      },
      {
        name: 'update',
        summary: 'change a webhook',
        load: async () => (await import('./webhooks/update.ts')).updateCommand(),
      },
      {
        name: 'delete',
        summary: 'delete webhooks',
        load: async () => (await import('./webhooks/delete.ts')).deleteCommand(),
      },
      {
        name: 'rotate',
        summary: 'rotate the secret of a webhook',
        load: async () => (await import('./webhooks/rotate.ts')).rotateCommand(),
      },
      {
        name: 'test',
        summary: 'send a test event and print the result',
        load: async () => (await import('./webhooks/test.ts')).testCommand(),
      },
      {
        name: 'deliveries',
        summary: 'list deliveries of a webhook, newest first',
        load: async () => (await import('./webhooks/deliveries.ts')).deliveriesCommand(),
      },
      {
        name: 'redeliver',
        summary: 'send deliveries again',
        load: async () => (await import('./webhooks/redeliver.ts')).redeliverCommand(),
      },
      {
        name: 'listen',
        summary: 'receive, verify, and print deliveries',
        load: async () => (await import('./webhooks/listen.ts')).listenCommand(),
      },
    ],
  },
]
