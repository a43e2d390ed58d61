import type { Command } from 'commander'
import { newCommand, prose } from '../../new-command.ts'

export function rotateMasterCommand(): Command {
  return newCommand('rotate-master', 'put another master key in the place of the present one')
    .description(
      prose(`Encrypts the secrets of access keys, webhooks and authenticator apps under another master key, while servers run. The new
key is made in $MUSTER_DATA/master.key, the one so far is kept in master.key.previous, for backups from before: without those,
remove it. Cut short, the command goes on where it was. With MUSTER_MASTER_KEY, first give every server a new key in it and the
one so far in MUSTER_MASTER_KEY_PREVIOUS, then run this with both, then take the previous one away. Whoever is signed in to
the console signs in anew, and links to download events are to be asked for anew. Works on DATABASE_URL, else on the
database in MUSTER_DATA, whether or not a server runs.`),
    )
    .action(run)
}

async function run({ json }: { json?: boolean }): Promise<void> {
  const [{ rotateMasterKey }, { withInstallation }] = await Promise.all([
    import('@muster/server/auth/rotate-master-key.ts'),
    import('../../installation.ts'),
  ])
  const rotation = await withInstallation(({ db, config }) => rotateMasterKey({ db, config }), { mustExist: true })
  if (json) return console.log(JSON.stringify(rotation))
  console.log(
    `${rotation.count} secrets are encrypted under the master key in ${rotation.key}; the former: ${rotation.former}`,
  )
  for (const id of rotation.damaged)
    console.log(`${id}: its stored secret opens under no master key at hand: delete it`)
}
