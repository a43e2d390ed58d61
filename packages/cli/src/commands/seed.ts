import type { Command } from 'commander'
import { newCommand } from '../options/new-command.ts'
import { wholeNumber } from '../options/option-values.ts'
import { counted } from '../output/counted.ts'
import { showProgress } from '../terminal/progress.ts'

interface Options {
  json?: boolean
  users: number
  devices: number
  services: number
}

export function buildCommand(): Command {
  return newCommand('seed')
    .description(`Fill the database with sample fleets: devices with names, hardware IDs, platforms, sites, statuses,
and services. The first fleet belongs to the installation's first user. Each additional fleet belongs to a new user,
such as fleet-2@example.com, whose credentials the command writes to $MUSTER_DATA/credentials-<email>.

The same options always create the same devices. The command keeps existing devices and records no events. It connects
to the database in DATABASE_URL or, by default, to the embedded database in MUSTER_DATA, whether or not a server is
running.`)
    .option('--users <count>', 'number of users, each with a fleet', wholeNumber(1, 1_000), 1)
    .option('--devices <count>', 'devices per fleet', wholeNumber(1, 10_000_000), 1_000)
    .option('--services <count>', 'services per device', wholeNumber(0, 100), 4)
    .action(run)
}

async function run({ users, devices, services, json = false }: Options): Promise<void> {
  const [{ withInstallation }, { seedFleets }] = await Promise.all([
    import('../installation/migrate-and-set-up.ts'),
    import('../seed/seed-fleets.ts'),
  ])
  const started = performance.now()
  const progress = showProgress(users * devices, { quiet: json })
  try {
    const fleets = await withInstallation((installation) =>
      seedFleets(installation, { users, devices, services, onProgress: progress.update }),
    )
    progress.stop()
    const seconds = Math.round((performance.now() - started) / 100) / 10
    if (json) return console.log(JSON.stringify({ fleets, seconds }))
    for (const { email, added, credentials } of fleets) {
      console.log(
        `${email}: ${counted(added, 'device')} added, ${devices - added} already present${credentials ? `; credentials in ${credentials}` : ''}`,
      )
    }
    console.log(`Duration: ${seconds} s`)
  } finally {
    progress.stop()
  }
}
