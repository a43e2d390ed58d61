import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { usageError } from '../../errors/cli-error.ts'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand } from '../../options/new-command.ts'

interface Options {
  json?: boolean
  credentials?: string
  name?: string
  account?: string
  role?: string
}

export function buildCommand(): Command {
  return newCommand('add')
    .description(`Add a user with a password and an access key, and write both to a file that only you can read. The
command connects to the database in DATABASE_URL or, by default, to the embedded database in MUSTER_DATA, whether or not
a server is running.

With --account and --role, the user becomes a member of an existing account instead of getting a new one. The file then
contains no access key. If the user exists, the command only adds the membership.`)
    .argument('<email>', "user's email address")
    .option('--credentials <file>', 'new file for the credentials (default: $MUSTER_DATA/credentials-<email>)')
    .option('--name <name>', "user's name")
    .option('--account <id>', 'ID of the account that the user joins as a member')
    .option('--role <role>', "ID of the user's role in this account, such as viewer")
    .action(run)
}

async function run(email: string, options: Options): Promise<void> {
  const { account, role } = options
  if (account !== undefined && role !== undefined)
    return addMember(email, options, { accountId: account, roleId: role })
  if (account !== undefined || role !== undefined) throw usageError('pass --account and --role together')
  const { addUser, credentialsFileName } = await import('../../users/add-user.ts')
  const user = await useInstallation((installation) => {
    const file = resolve(options.credentials ?? join(installation.config.dataFolder, credentialsFileName(email)))
    return addUser(installation, { email, name: options.name ?? null, accessKeyName: 'muster users add', file })
  })
  if (options.json) return console.log(JSON.stringify(user))
  console.log(`Added the user ${user.email}. Credentials file: ${user.credentials}`)
  console.log(`Try: muster query --credentials ${user.credentials} '{ login { email } }'`)
}

async function addMember(
  email: string,
  { name = null, credentials, json }: Omit<Options, 'name'> & { name?: string | null },
  place: { accountId: string; roleId: string },
): Promise<void> {
  const [{ addUserToAccount }, { credentialsFileName }] = await Promise.all([
    import('../../users/add-to-account.ts'),
    import('../../users/add-user.ts'),
  ])
  const member = await useInstallation((installation) => {
    const file = resolve(credentials ?? join(installation.config.dataFolder, credentialsFileName(email)))
    return addUserToAccount(installation, { email, name, file }, place)
  })
  if (json) return console.log(JSON.stringify(member))
  const where = member.credentials === null ? '' : ` The password is in ${member.credentials}`
  console.log(`Added ${member.email} to the account ${member.account} as ${member.role}.${where}`)
}
