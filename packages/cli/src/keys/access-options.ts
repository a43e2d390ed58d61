import type { Permission } from '@muster/client'
import type { Command } from 'commander'
import { namesWithCommas, wholeNumber } from '../options/new-command.ts'

/** Parses permissions such as `DEVICE_READ` or `device-read`. The server rejects unknown names. */
export const permissions = (text: string, before: readonly Permission[] = []): Permission[] =>
  namesWithCommas(text, before).map((name) => name.toUpperCase().replaceAll(/[.-]/g, '_') as Permission)

export interface AccessOptions {
  permissions?: Permission[]
  networks?: string[]
  rateShare?: number
}

export const withAccessOptions = (command: Command, permissionsHelp: string): Command =>
  command
    .option('--permissions <names>', permissionsHelp, permissions)
    .option('--networks <cidrs>', 'addresses from which the key can be used, such as 192.0.2.0/24', namesWithCommas)
    .option('--rate-share <percent>', 'share of the rate limit that the key can use, in percent', wholeNumber(1, 100))

export const accessArguments = ({ permissions: names, networks, rateShare }: AccessOptions) => ({
  ...(names !== undefined && { access: { permissions: names } }),
  ...(networks !== undefined && { networks }),
  ...(rateShare !== undefined && { rateShare }),
})
