import type { Permission } from '@muster/client'
import type { Command } from 'commander'
import { type ClientOptions, collect, namesWithCommas } from '../options/new-command.ts'

/** Options of `roles create` and `roles update`. */
export interface RoleOptions extends ClientOptions {
  permissions?: string[]
  read?: string[]
  write?: string[]
  attributes?: false
  where?: string | false
  view?: string | false
  context?: string | false
  group?: string[]
}

export const withRoleOptions = (command: Command): Command =>
  command
    .option('--permissions <names>', 'comma-separated permissions, such as device-read,event-read', namesWithCommas)
    .option('--read <names>', 'attributes that members can read, such as site,status.*', namesWithCommas)
    .option('--write <names>', 'attributes that members can set and read', namesWithCommas)
    .option('--where <filter>', 'restrict members to the devices that match this filter')
    .option('--view <id>', 'restrict members to the devices of this view')
    .option('--context <name>', 'context in which the filter and the view read attributes')
    .option('--group <name>', 'single sign-on group whose members get this role; repeatable', collect)

/** Reads permissions as the API names them: `device-read` is DEVICE_READ. The server rejects unknown names. */
const toPermissions = (names: readonly string[]): Permission[] =>
  names.map((name) => name.toUpperCase().replaceAll('-', '_') as Permission)

/** Reads what a role allows; undefined if no option is given. `false` removes a restriction. */
export function toAccess({ permissions, read, write, attributes, where, view, context }: RoleOptions) {
  const access = {
    ...(attributes === false && { attributes: null }),
    // Without --write, members can set no attribute.
    ...((read !== undefined || write !== undefined) && { attributes: { read: read ?? [], write: write ?? [] } }),
    ...(permissions !== undefined && { permissions: toPermissions(permissions) }),
    ...(where !== undefined && { where: where === false ? null : where }),
    ...(view !== undefined && { view: view === false ? null : view }),
    ...(context !== undefined && { context: context === false ? null : context }),
  }
  return Object.keys(access).length === 0 ? undefined : access
}

/** Returns the groups. An empty value removes all groups. */
export const toGroups = (groups: readonly string[]): string[] => groups.filter((group) => group !== '')
