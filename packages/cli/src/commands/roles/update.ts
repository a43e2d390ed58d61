import type { Command } from 'commander'
import { accessOf } from '../../keys/access-options.ts'
import { findRole, roleColumns } from '../../members/members.ts'
import { type RoleOptions, toGroups, withRoleOptions } from '../../members/role-options.ts'
import { assertChanges } from '../../options/changes.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { printJson, printOne } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends RoleOptions {
  name?: string
}

export function buildCommand(): Command {
  const command = newClientCommand('update')
    .description(`Change only the specified properties of a role. The change takes effect within a second. In a
built-in role, you can change only the groups. --group "" removes all groups.`)
    .argument('<role>', 'name or ID')
    .option('--name <name>', 'new name')
  return withRoleOptions(command)
    .option('--no-attributes', 'allow all attributes')
    .option('--no-where', 'remove the filter')
    .option('--no-view', 'remove the view')
    .option('--no-context', 'remove the context')
    .action(run)
}

async function run(nameOrId: string, { name, group, ...options }: Options): Promise<void> {
  const changes = { name, access: accessOf(options), groups: group && toGroups(group) }
  assertChanges(changes)
  const muster = await openMuster(options, 4)
  const { id } = await findRole(muster, nameOrId)
  const role = await muster.mutations.updateRole({ id, ...changes })
  await (options.json ? printJson(role) : printOne(role, roleColumns))
}
