import type { Permission } from '@muster/client'
import type { Command } from 'commander'
import { nullIfRemoved } from '../options/changes.ts'
import { namesWithCommas, wholeNumber } from '../options/option-values.ts'

/** Parses permissions such as `DEVICE_READ` or `device-read`. The server rejects unknown names. */
export const permissions = (text: string, before: readonly Permission[] = []): Permission[] =>
  namesWithCommas(text, before).map((name) => name.toUpperCase().replaceAll(/[.-]/g, '_') as Permission)

export interface AccessOptions {
  permissions?: Permission[]
  networks?: string[]
  rateShare?: number
  read?: string[]
  write?: string[]
  where?: string
  view?: string
  context?: string
}

export const withAccessOptions = (command: Command, permissionsHelp: string): Command =>
  command
    .option('--permissions <names>', permissionsHelp, permissions)
    .option('--read <names>', 'attributes that the key can read, such as site,status.*', namesWithCommas)
    .option('--write <names>', 'attributes that the key can set and read', namesWithCommas)
    .option('--where <filter>', 'restrict the key to the devices that match this filter')
    .option(
      '--networks <cidrs>',
      'IP addresses or networks from which the key can be used, such as 192.0.2.0/24,198.51.100.7',
      namesWithCommas,
    )
    .option(
      '--rate-share <percent>',
      "percentage of the account's rate limit that the key can use, 1 to 100",
      wholeNumber(1, 100),
    )

/** A change of what a key or role can access. `false` removes a restriction. */
export interface AccessChange {
  permissions?: Permission[]
  read?: string[]
  write?: string[]
  attributes?: false
  where?: string | false
  view?: string | false
  context?: string | false
}

export function accessOf({ permissions: names, read, write, attributes, where, view, context }: AccessChange) {
  const isScoped = read !== undefined || write !== undefined
  const access = {
    permissions: names,
    // With --read but without --write, the role or key cannot set attributes.
    attributes: isScoped ? { read: read ?? [], write: write ?? [] } : attributes === false ? null : undefined,
    where: nullIfRemoved(where),
    view: nullIfRemoved(view),
    context: nullIfRemoved(context),
  }
  return Object.values(access).some((value) => value !== undefined) ? access : undefined
}
