import type { Command } from 'commander'
import type { Installation } from '../../installation/migrate-and-set-up.ts'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand } from '../../options/new-command.ts'
import { counted } from '../../output/counted.ts'

interface Options {
  json?: boolean
  yes?: boolean
  erase?: boolean
  withAccounts?: boolean
}

export function buildCommand(): Command {
  return newCommand('remove')
    .description(`Remove a user from the installation, including the password, passkeys, sessions, personal keys, and
memberships. Account keys and devices stay in their accounts. You cannot remove a user if no account would remain. If
an account would have no owner who can sign in, make another member an owner first, or pass --with-accounts to delete
the account with all its devices, services, attributes, access keys, registration codes, webhooks, and events. To
confirm, type the email address. Only restoring a backup can undo this command.

Events identify the user by email address. With --erase, the server forgets the address, and events show a
placeholder. The data of earlier events, such as invitations, can still contain the address.

The command disables the user immediately and deletes the data in batches. If it is interrupted, run it again to
continue. It connects to the database in DATABASE_URL or, by default, to the embedded database in MUSTER_DATA, whether
or not a server is running.`)
    .argument('<email>', "user's email address")
    .option('--with-accounts', 'also delete the accounts that would have no owner who can sign in')
    .option('--erase', 'forget the email address, and show a placeholder in events')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(email: string, options: Options): Promise<void> {
  const removed = await useInstallation((installation) => remove(installation, email, options))
  if (options.json) return console.log(JSON.stringify(removed))
  const { accounts, devices, accessKeys } = removed
  const contents =
    accounts.length === 0
      ? ''
      : `, with ${accountsText(accounts)}, ${counted(devices, 'device')}, and ${counted(accessKeys, 'access key')}`
  console.log(`Removed ${removed.email}${contents}.`)
}

const accountsText = (accounts: readonly unknown[]): string =>
  accounts.length === 1 ? 'an account' : `${accounts.length} accounts`

async function remove({ db, log }: Installation, address: string, { yes, erase, withAccounts }: Options) {
  const [{ planRemoval, removeUser }, { confirmByTyping }] = await Promise.all([
    import('@muster/server/features/users/user-removal.ts'),
    import('../../terminal/confirm.ts'),
  ])
  const { id, email, accounts, devices, accessKeys } = await planRemoval(db, address)
  const deleted = withAccounts === true ? accounts : []
  const contents = `${accountsText(deleted)}, ${counted(devices, 'device')}, ${counted(accessKeys, 'access key')}, and all events`
  const what = deleted.length === 0 ? `Remove ${email}` : `Remove ${email} with ${contents}`
  // If an account would have no owner who can sign in, the removal fails without --with-accounts, so a confirmation
  // would be pointless.
  if (accounts.length === deleted.length) await confirmByTyping(email, { what, yes })
  const isShown = process.stderr.isTTY
  const onProgress = (rows: number) => process.stderr.write(`\r${rows} rows deleted`)
  const options = { ...(erase && { erase }), ...(withAccounts && { withAccounts }), ...(isShown && { onProgress }) }
  await removeUser(db, email, { now: new Date(), log, ...options })
  if (isShown && deleted.length > 0) process.stderr.write('\n')
  return { id, email, accounts: deleted.map(({ accountId }) => accountId), devices, accessKeys }
}
