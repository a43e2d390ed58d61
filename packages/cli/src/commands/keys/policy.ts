import type { Muster } from '@muster/client'
import { type Command, Option } from 'commander'
import { nullIfRemoved } from '../../options/changes.ts'
import { futureMoment } from '../../options/moment.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { wholeNumber } from '../../options/option-values.ts'
import { printJson, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions {
  maxDays?: number | false
  personalKeys?: string
  requireDigest?: string
  requireNetworks?: string
  enforcedFrom?: string | false
}

export function buildCommand(): Command {
  return newClientCommand('policy')
    .description(`Show the account's rules for access keys, or change the specified rules, and list the enabled keys
that break a rule. New keys must follow the rules immediately. Existing keys must follow them only if you set a time
with --enforced-from, and only from that time on.`)
    .option('--max-days <count>', 'maximum key lifetime in days', wholeNumber(1, 36_500))
    .option('--no-max-days', 'allow keys that never expire')
    .addOption(new Option('--personal-keys <choice>', 'whether members can create personal keys').choices(yesNo))
    .addOption(
      new Option('--require-digest <choice>', 'whether keys must require a digest of the request body').choices(yesNo),
    )
    .addOption(
      new Option('--require-networks <choice>', 'whether keys must be limited to specific networks').choices(yesNo),
    )
    .option(
      '--enforced-from <when>',
      'time from which existing keys must follow the rules: a date, or a duration from now, such as 30d',
      futureMoment,
    )
    .option('--no-enforced-from', 'do not enforce the rules for existing keys')
    .action(run)
}

const yesNo = ['yes', 'no']

const selection = {
  maxDays: true,
  personalKeys: true,
  requireDigest: true,
  requireNetworks: true,
  enforcedFrom: true,
  violations: { key: true, name: true },
} as const

async function run({ json, credentials, profile, maxDays, enforcedFrom, ...rules }: Options): Promise<void> {
  const muster = await openMuster({ credentials, profile }, 4)
  const change = {
    ...Object.fromEntries(Object.entries(rules).map(([rule, choice]) => [rule, choice === 'yes'])),
    maxDays: nullIfRemoved(maxDays),
    enforcedFrom: nullIfRemoved(enforcedFrom),
  }
  const isChange = Object.values(change).some((value) => value !== undefined)
  const changed = isChange ? await muster.mutations.setKeyPolicy(change) : undefined
  const policy = await readPolicy(muster).catch((error: Error) => {
    if (changed === undefined) throw error
    // The key of this command may lack the permission to list keys, or may itself violate the new policy.
    console.error(`The policy was changed, but the keys that violate it cannot be listed: ${error.message}`)
    return { ...changed, violations: undefined }
  })
  if (policy === undefined) return
  if (json) return printJson(policy)
  const yes = (value: boolean): string => (value ? 'yes' : 'no')
  await say(`Maximum key lifetime in days: ${policy.maxDays ?? 'no limit'}`)
  await say(`Personal keys: ${yes(policy.personalKeys)}`)
  await say(`Require a digest: ${yes(policy.requireDigest)}`)
  await say(`Require networks: ${yes(policy.requireNetworks)}`)
  await say(`Enforced for existing keys from: ${policy.enforcedFrom ?? 'never'}`)
  for (const { key, name } of policy.violations ?? [])
    await say(`Violates the policy: ${key}${name === null ? '' : ` (${name})`}`)
}

const readPolicy = async (muster: Muster) => (await muster.select({ login: { keyPolicy: selection } })).login?.keyPolicy
