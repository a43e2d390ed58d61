import type { Command } from 'commander'
import { newCommand, prose } from '../../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('rotate-master')
    .description(
      prose(`Encrypts the secrets of access keys, webhooks, and authenticator apps with a new master key while servers run. Creates the new
key in $MUSTER_DATA/master.key and moves the current one to master.key.previous. Keep that file as long as you keep older
backups. If the command is interrupted, run it again to resume.

With MUSTER_MASTER_KEY, first set the new key there and the current key in MUSTER_MASTER_KEY_PREVIOUS on every server. Then
run this command with both, and then remove the previous key.

Console users must sign in again, and download links for events must be requested again. Uses DATABASE_URL, else the database in
MUSTER_DATA, whether or not a server is running.`),
    )
    .action(run)
}

async function run({ json }: { json?: boolean }): Promise<void> {
  const [{ rotateMasterKey }, { recordInstallationEvent }, { withInstallation }] = await Promise.all([
    import('@muster/server/auth/rotate-master-key.ts'),
    import('@muster/server/features/users/record-installation-event.ts'),
    import('../../installation/installation.ts'),
  ])
  const rotation = await withInstallation(
    async (installation) => {
      const rotated = await rotateMasterKey(installation)
      const data = { count: rotated.count, damaged: rotated.damaged.length }
      await recordInstallationEvent(installation, { type: 'MASTER_KEY_ROTATE', data })
      return rotated
    },
    { mustExist: true },
  )
  if (json) return console.log(JSON.stringify(rotation))
  console.log(
    `Encrypted ${rotation.count} secrets with the master key in ${rotation.key}. Previous master key: ${rotation.former}`,
  )
  for (const id of rotation.damaged) console.log(`${id}: no available master key decrypts its secret; delete it`)
}
