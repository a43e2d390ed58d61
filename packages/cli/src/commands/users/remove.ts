import type { Command } from 'commander'
import type { Installation } from '../../installation/installation.ts'
import { newCommand, prose } from '../../options/new-command.ts'

interface Options {
  json?: boolean
  yes?: boolean
}

export function buildCommand(): Command {
  return newCommand('remove')
    .description(
      prose(`Remove a user and all of the user's data: devices, services, attributes, access keys, registration codes,
webhooks, sessions, and events. To confirm, type the email address. You cannot remove the last user, a
user whose account has other members, or a member of other accounts. Only restoring a backup can undo this command.

The command disables the user immediately and deletes the data in batches. If it is interrupted, run it again to
continue. It connects to the database in DATABASE_URL or, by default,
to the embedded database in MUSTER_DATA, whether or not a server is
running.`),
    )
    .argument('<email>', "user's email address")
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(email: string, options: Options): Promise<void> {
  const { withInstallation } = await import('../../installation/installation.ts')
  const removed = await withInstallation((installation) => remove(installation, email, options), { mustExist: true })
  if (options.json) return console.log(JSON.stringify(removed))
  console.log(`Removed ${removed.email}, with ${removed.devices} devices and ${removed.accessKeys} access keys.`)
}

async function remove({ db, log }: Installation, email: string, { yes }: Options) {
  const [{ findUser, removeUser }, { confirmByTyping }] = await Promise.all([
    import('@muster/server/features/users/user-administration.ts'),
    import('../../terminal/confirm.ts'),
  ])
  const user = await findUser(db, email)
  const { devices, accessKeys } = user
  const what = `Remove ${user.email} with ${devices} devices, ${accessKeys} access keys, and all events`
  await confirmByTyping(user.email, { what, yes })
  const isShown = process.stderr.isTTY
  const onProgress = (rows: number) => process.stderr.write(`\r${rows} rows deleted`)
  await removeUser(db, user.email, { now: new Date(), log, ...(isShown && { onProgress }) })
  if (isShown) process.stderr.write('\n')
  return { id: user.id, email: user.email, devices, accessKeys }
}
