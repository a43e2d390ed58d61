import type { Command } from 'commander'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand } from '../../options/new-command.ts'
import { counted } from '../../output/counted.ts'

export function buildCommand(): Command {
  return newCommand('rotate-master')
    .description(`Encrypt secrets, such as those of access keys, webhooks, and authenticator apps, with a new master key
while servers run. The command creates the new key in $MUSTER_DATA/master.key and moves the current key to
master.key.previous. Keep the previous key as long as you keep backups from before the rotation. If the command is
interrupted, run it again to resume.

If you use MUSTER_MASTER_KEY, first set MUSTER_MASTER_KEY to the new key and MUSTER_MASTER_KEY_PREVIOUS to the current
key on every server. Then run this command with both variables. Finally, remove MUSTER_MASTER_KEY_PREVIOUS from every
server.

After the rotation, console users must sign in again, and clients must request new download links. The command connects
to the database in DATABASE_URL or, by default, to the embedded database in MUSTER_DATA, whether or not a server is
running.`)
    .action(run)
}

async function run({ json }: { json?: boolean }): Promise<void> {
  const [{ rotateMasterKey }, { recordInstallationEvent }] = await Promise.all([
    import('@muster/server/auth/master-key/rotate-master-key.ts'),
    import('@muster/server/features/users/record-installation-event.ts'),
  ])
  const rotation = await useInstallation(async (installation) => {
    const rotated = await rotateMasterKey(installation)
    const data = { count: rotated.count, damaged: rotated.damaged.length }
    await recordInstallationEvent(installation, { type: 'MASTER_KEY_ROTATE', data })
    return rotated
  })
  if (json) return console.log(JSON.stringify(rotation))
  console.log(
    `Encrypted ${counted(rotation.count, 'secret')} with the master key in ${rotation.key}. Previous master key: ${rotation.former}`,
  )
  for (const id of rotation.damaged) console.log(`${id}: no available master key can decrypt the secret of this object`)
}
