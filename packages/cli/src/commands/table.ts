import { type CommandEntry, command, inGroup, noun } from './command-entry.ts'

/** All commands, in the order in which the help lists them. */
export const commandTable: readonly CommandEntry[] = [
  ...inGroup('Devices:', [
    noun(
      'devices',
      'list, register, rename, and delete devices',
      'Manage devices. Identify a device by its ID, hardware ID, or unique name.',
      [
        command('list', 'list all or matching devices', () => import('./devices/list.ts')),
        command('facets', 'count devices by value', () => import('./devices/facets.ts')),
        command('get', 'show a device with its services and attributes', () => import('./devices/get.ts')),
        command('history', "list the changes of a device's attributes", () => import('./devices/history.ts')),
        command('register', 'add a device', () => import('./devices/register.ts')),
        command('rename', 'rename a device', () => import('./devices/rename.ts')),
        command('delete', 'delete devices', () => import('./devices/delete.ts')),
      ],
    ),
    noun(
      'views',
      'list, show, create, update, and delete saved views',
      'Manage saved views: filters with an order and columns.',
      [
        command('list', 'list saved views', () => import('./views/list.ts')),
        command('show', 'show a view and what uses it', () => import('./views/show.ts')),
        command('create', 'save a view', () => import('./views/create.ts')),
        command('update', 'change a view', () => import('./views/update.ts')),
        command('delete', 'delete views', () => import('./views/delete.ts')),
      ],
    ),
    noun('services', 'list, add, update, and remove services', 'Manage the services of devices, such as SSH or HTTP.', [
      command('list', 'list the services of some or all devices', () => import('./services/list.ts')),
      command('types', 'list service types', () => import('./services/types.ts')),
      command('add', 'add a service to a device', () => import('./services/add.ts')),
      command('update', 'update a service', () => import('./services/update.ts')),
      command('remove', 'remove services', () => import('./services/remove.ts')),
    ]),
    noun(
      'attributes',
      'show and change attributes of one or many devices',
      'Show and change the attributes of devices, services, and your user, including overrides in contexts.',
      [
        command('get', 'show attributes', () => import('./attributes/get.ts')),
        command('set', 'set attributes of one or many devices', () => import('./attributes/set.ts')),
        command('unset', 'remove attributes from one or many devices', () => import('./attributes/unset.ts')),
        command('resume', 'resume an interrupted bulk change', () => import('./attributes/resume.ts')),
      ],
    ),
    noun('events', 'list past events and follow new events', 'List and follow the events of your account.', [
      command('list', 'list events, newest first', () => import('./events/list.ts')),
      command('tail', 'print events as they happen', () => import('./events/tail.ts')),
    ]),
    command('import', 'add and update devices from a CSV file', () => import('./import.ts')),
    command('export', 'write all devices as CSV', () => import('./export.ts')),
  ]),
  ...inGroup('Your account:', [
    command('configure', 'save server credentials in a profile', () => import('./configure.ts')),
    noun(
      'keys',
      'list, create, disable, and delete access keys',
      'Manage access keys, which programs use to sign requests, and the master key, which encrypts their secrets.',
      [
        command('list', 'list access keys', () => import('./keys/list.ts')),
        command('create', 'create an access key', () => import('./keys/create.ts')),
        command('enable', 'enable an access key', () => import('./keys/enable.ts')),
        command('disable', 'disable an access key', () => import('./keys/disable.ts')),
        command('delete', 'delete access keys', () => import('./keys/delete.ts')),
        command('rotate-master', 'rotate the master key', () => import('./keys/rotate-master.ts')),
      ],
    ),
    noun(
      'codes',
      'list, create, and delete registration codes',
      'Manage registration codes, which devices use to register themselves.',
      [
        command('list', 'list registration codes', () => import('./codes/list.ts')),
        command('create', 'create a registration code', () => import('./codes/create.ts')),
        command('delete', 'delete registration codes', () => import('./codes/delete.ts')),
      ],
    ),
    noun('webhooks', 'list, create, test, and listen to webhooks', 'Manage webhooks, which send events to a URL.', [
      command('list', 'list webhooks', () => import('./webhooks/list.ts')),
      command('create', 'create a webhook', () => import('./webhooks/create.ts')),
      command('update', 'update a webhook', () => import('./webhooks/update.ts')),
      command('delete', 'delete webhooks', () => import('./webhooks/delete.ts')),
      command('rotate', "rotate a webhook's secret", () => import('./webhooks/rotate.ts')),
      command('test', 'send a test event and print the result', () => import('./webhooks/test.ts')),
      command('deliveries', "list a webhook's deliveries, newest first", () => import('./webhooks/deliveries.ts')),
      command('redeliver', 'resend deliveries', () => import('./webhooks/redeliver.ts')),
      command('listen', 'receive, verify, and print deliveries', () => import('./webhooks/listen.ts')),
    ]),
  ]),
  ...inGroup('Tools and this machine:', [
    command('query', 'run a GraphQL query or mutation', () => import('./query.ts')),
    command('schema', 'print the API schema', () => import('./schema.ts')),
    command('doctor', 'diagnose problems with a server', () => import('./doctor.ts')),
    command('completion', 'print a shell completion script', () => import('./completion.ts')),
    noun(
      'agent',
      'connect this machine as a device',
      'Register this machine as a device, keep it connected, and report its services and measurements.',
      [
        command('register', 'register this machine with a code', () => import('./agent/register.ts')),
        command('run', 'run the agent until stopped', () => import('./agent/run.ts')),
        command('status', 'show the status of the device and the agent', () => import('./agent/status.ts')),
        command('check', 'print what the agent would report', () => import('./agent/check.ts')),
        command('install', 'install the agent as a systemd service', () => import('./agent/install.ts')),
        command('uninstall', "remove the agent's systemd service", () => import('./agent/uninstall.ts')),
      ],
    ),
  ]),
  ...inGroup("Server (run on the server's machine):", [
    command('serve', 'start the server', () => import('./serve.ts')),
    command('migrate', "migrate the database to this release's schema", () => import('./migrate.ts')),
    command('backup', 'back up the database', () => import('./backup.ts')),
    command('restore', 'restore the database from a backup', () => import('./restore.ts')),
    noun('users', 'manage the users of the installation', 'Manage the users of this installation.', [
      command('add', 'add a user and write the credentials to a file', () => import('./users/add.ts')),
      command('list', 'list the users of the installation', () => import('./users/list.ts')),
      command('disable', 'disable a user and keep their data', () => import('./users/disable.ts')),
      command('enable', 'enable a disabled user', () => import('./users/enable.ts')),
      command('remove', 'remove a user and all their data', () => import('./users/remove.ts')),
      command(
        'reset-password',
        "reset a user's password and write the new password to a file",
        () => import('./users/reset-password.ts'),
      ),
    ]),
    command('seed', 'fill the database with sample fleets', () => import('./seed.ts')),
    command('simulate', 'simulate a fleet that connects, reports, and reconnects', () => import('./simulate.ts')),
  ]),
]
