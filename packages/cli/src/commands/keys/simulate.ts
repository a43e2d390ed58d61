import { type Muster, MusterError } from '@muster/client'
import { type Command, InvalidArgumentError } from 'commander'
import { usageError } from '../../errors/cli-error.ts'
import { type AccessOptions, accessOf, permissions } from '../../keys/access-options.ts'
import { findMember, findRole } from '../../members/members.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { namesWithCommas } from '../../options/option-values.ts'
import { readNamedFile } from '../../options/read-named-file.ts'
import { printJson, printPairs, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions, Omit<AccessOptions, 'networks' | 'rateShare'> {
  member?: string
  role?: string
  address?: string
  file?: string
  variables?: Record<string, unknown>
  device?: string
  attribute?: string
}

export function buildCommand(): Command {
  return newClientCommand('simulate')
    .description(`Show what an access key could do now: which permissions it has, how many devices it can find, and
whether it could run a document, read a device, or read and set an attribute. The command also shows the reason for each
denial. It does not run the document, and changes nothing. By default, the command checks the access key that it uses.

Instead of a key, you can pass --member, --role, or the options of a new key, such as --permissions and --where. The
command does not create the new key.`)
    .argument('[key]', 'access key ID, as shown by "muster keys list"')
    .option('--member <member>', 'show what this member (ID or email address) could do')
    .option('--role <role>', 'show what members with this role (ID or name) could do')
    .option('--permissions <names>', 'permissions of a new key', permissions)
    .option('--read <names>', 'attributes that the new key could read, such as site,status.*', namesWithCommas)
    .option('--write <names>', 'attributes that the new key could set and read', namesWithCommas)
    .option('--where <filter>', 'filter that selects the devices that the new key could find')
    .option('--view <id>', 'ID of the view whose devices the new key could find')
    .option(
      '--context <name>',
      "context in which the filter and the view read attributes (default: the view's context)",
    )
    .option('--address <address>', 'IP address from which the key would be used (default: do not check networks)')
    .option('-f, --file <file>', 'GraphQL document to check')
    .option('--variables <json>', 'variables of the document, as a JSON object', jsonObject)
    .option('--device <id>', 'ID of the device to check')
    .option('--attribute <name>', 'device attribute to check, such as site or net.ssid')
    .action(run)
}

const selection = {
  allowed: true,
  deviceReachable: true,
  attributeReadable: true,
  attributeWritable: true,
  devices: true,
  permissions: { permission: true, granted: true, deniedBy: true },
  reasons: true,
  warnings: true,
} as const

async function run(key: string | undefined, options: Options): Promise<void> {
  const document = options.file === undefined ? undefined : await readNamedFile(options.file, 'the document')
  const muster = await openMuster(options, 4)
  const { address, variables, device, attribute } = options
  const { login } = await muster.select({
    login: {
      simulate: {
        $: {
          ...(await subjectOf(muster, key, options)),
          address,
          document,
          variables,
          deviceId: device,
          attribute,
        },
        ...selection,
      },
    },
  })
  const simulation = login?.simulate
  if (simulation === undefined) return
  if (options.json) return printJson(simulation)
  const { allowed, deviceReachable, attributeReadable, attributeWritable, devices, reasons, warnings } = simulation
  const granted = simulation.permissions.filter((each) => each.granted).map(({ permission }) => permission)
  const answers: [name: string, answer: boolean | null][] = [
    ['Runs the document', allowed],
    ['Reads the device', deviceReachable],
    ['Reads the attribute', attributeReadable],
    ['Sets the attribute', attributeWritable],
  ]
  await printPairs([
    ...answers.flatMap(([name, answer]): [string, string][] =>
      answer === null ? [] : [[name, answer ? 'yes' : 'no']],
    ),
    ['Permissions', granted.length === 0 ? 'none' : granted.join(' ')],
    ['Devices', String(devices)],
  ])
  for (const reason of grouped(reasons)) await say(`Denied: ${reason}`)
  for (const warning of warnings) await say(`Warning: ${warning}`)
}

/**
 * Combines sentences such as "the key lacks KEY_MANAGE" into one sentence for all permissions that the same subject
 * lacks.
 */
function grouped(reasons: readonly string[]): string[] {
  const all = new Map<string, string[]>()
  for (const reason of reasons) {
    const [, who, permission] = /^(.+ lacks) ([A-Z_]+)$/.exec(reason) ?? []
    const key = who ?? reason
    all.set(key, [...(all.get(key) ?? []), ...(permission === undefined ? [] : [permission])])
  }
  return Array.from(all, ([text, permissions]) => [text, permissions.join(', ')].filter(Boolean).join(' '))
}

async function subjectOf(muster: Muster, key: string | undefined, options: Options) {
  const { member, role } = options
  const access = accessOf(options)
  const given = [key, member, role, access].filter((each) => each !== undefined)
  if (given.length > 1)
    throw usageError(
      'pass only one of these: a key ID, --member, --role, or options of a new key, such as --permissions',
    )
  if (member !== undefined)
    return { personId: await idOf(member, async () => (await findMember(muster, member)).person.id) }
  if (role !== undefined) return { roleId: await idOf(role, async () => (await findRole(muster, role)).id) }
  return access === undefined ? { key: key ?? (await ownKey(muster)) } : { access }
}

/** Returns the ID that `find` returns. If the caller cannot list members or roles, assumes that `given` is an ID. */
const idOf = (given: string, find: () => Promise<string>): Promise<string> =>
  find().catch((error: unknown) => {
    if (error instanceof MusterError && error.code === 'FORBIDDEN') return given
    throw error
  })

async function ownKey(muster: Muster): Promise<string> {
  const { me } = await muster.select({ me: { accessKey: { key: true } } })
  if (me?.accessKey == null)
    throw usageError('cannot find the access key that this command uses: pass the ID of the key to simulate')
  return me.accessKey.key
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // The error below names the expected form.
  }
  throw new InvalidArgumentError('Expected a JSON object, such as {"size": 10}.')
}
