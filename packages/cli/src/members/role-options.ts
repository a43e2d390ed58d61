import type { Command } from 'commander'
import { type AccessChange, permissions } from '../keys/access-options.ts'
import type { ClientOptions } from '../options/new-command.ts'
import { collect, namesWithCommas } from '../options/option-values.ts'

export interface RoleOptions extends ClientOptions, AccessChange {
  group?: string[]
}

export const withRoleOptions = (command: Command): Command =>
  command
    .option('--permissions <names>', 'comma-separated permissions, such as device-read,event-read', permissions)
    .option('--read <names>', 'attributes that members can read, such as site,status.*', namesWithCommas)
    .option('--write <names>', 'attributes that members can set and read', namesWithCommas)
    .option('--where <filter>', 'restrict members to the devices that match this filter')
    .option('--view <id>', 'restrict members to the devices of the view with this ID')
    .option(
      '--context <name>',
      "context in which the filter and the view read attributes (default: the view's context)",
    )
    .option('--group <name>', 'single sign-on group whose members get this role; repeatable', collect)

/** Returns the groups to save, without empty values. `--group ''` therefore removes all groups. */
export const toGroups = (groups: readonly string[]): string[] => groups.filter((group) => group !== '')
