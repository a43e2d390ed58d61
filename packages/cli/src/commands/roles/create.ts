import type { Command } from 'commander'
import { usageError } from '../../errors/cli-error.ts'
import { accessOf } from '../../keys/access-options.ts'
import { roleColumns } from '../../members/members.ts'
import { type RoleOptions, toGroups, withRoleOptions } from '../../members/role-options.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { printJson, printOne } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

export function buildCommand(): Command {
  const command = newClientCommand('create')
    .description(`Create a custom role. The option --permissions is required, and can include only permissions that you
have.

muster roles create Technicians --permissions device-read,event-read,device-write`)
    .argument('<name>', 'name of the role, unique in your account')
  return withRoleOptions(command).action(run)
}

async function run(name: string, { group = [], ...options }: RoleOptions): Promise<void> {
  if (options.permissions === undefined)
    throw usageError(
      'missing --permissions',
      'Pass the permissions of the role, such as --permissions device-read,event-read.',
    )
  const muster = await openMuster(options, 4)
  const role = await muster.mutations.createRole({ name, access: accessOf(options) ?? {}, groups: toGroups(group) })
  await (options.json ? printJson(role) : printOne(role, roleColumns))
}
