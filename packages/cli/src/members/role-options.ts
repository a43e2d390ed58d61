import type { Permission } from '@muster/client'
import type { Command } from 'commander'
import { type ClientOptions, collect, namesWithCommas } from '../options/new-command.ts'

/** Options of `roles create` and `roles update`. */
export interface RoleOptions extends ClientOptions {
  permissions?: string[]
  group?: string[]
}

export const withRoleOptions = (command: Command): Command =>
  command
    .option('--permissions <names>', 'comma-separated permissions, such as device-read,event-read', namesWithCommas)
    .option('--group <name>', 'single sign-on group whose members get this role; repeatable', collect)

/** Reads permissions as the API names them: `device-read` is DEVICE_READ. The server rejects unknown names. */
export const toPermissions = (names: readonly string[]): Permission[] =>
  names.map((name) => name.toUpperCase().replaceAll('-', '_') as Permission)

/** Returns the groups. An empty value removes all groups. */
export const toGroups = (groups: readonly string[]): string[] => groups.filter((group) => group !== '')
