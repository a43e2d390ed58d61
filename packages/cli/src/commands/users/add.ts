import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Installation } from '../../installation/installation.ts'
import { newCommand, prose } from '../../options/new-command.ts'

interface Options {
  json?: boolean
  credentials?: string
  name?: string
}

export function buildCommand(): Command {
  return newCommand('add')
    .description(
      prose(`Add a user with a password and an access key, and write both to a file that only you can read. The command
connects to the database in DATABASE_URL or, by default,
to the embedded database in MUSTER_DATA, whether or not a server is running.`),
    )
    .argument('<email>', "user's email address")
    .option('--credentials <file>', 'new file for the credentials (default: $MUSTER_DATA/credentials-<email>)')
    .option('--name <name>', "user's name")
    .action(run)
}

async function run(email: string, options: Options): Promise<void> {
  const [{ addUser, credentialsFileName }, { withInstallation }] = await Promise.all([
    import('../../users/add-user.ts'),
    import('../../installation/installation.ts'),
  ])
  const add = (installation: Installation) => {
    const file = resolve(options.credentials ?? join(installation.config.dataFolder, credentialsFileName(email)))
    return addUser(installation, { email, name: options.name ?? null, accessKeyName: 'muster users add', file })
  }
  const user = await withInstallation(add, { mustExist: true })
  if (options.json) return console.log(JSON.stringify(user))
  console.log(`Added ${user.email}. Credentials: ${user.credentials}`)
  console.log(`Try: muster query --credentials ${user.credentials} '{ login { email } }'`)
}
