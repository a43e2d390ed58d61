import { Badge, Group } from '@mantine/core'
import type { AccessKeyFieldsFragment } from './keys.generated.ts'

type State = Pick<AccessKeyFieldsFragment, 'enabled' | 'expires' | 'suspended' | 'replacedBy'>

export function KeyState({ state: { enabled, expires, suspended, replacedBy } }: { state: State }) {
  if (expires !== null && new Date(expires) <= new Date()) return <Badge color="gray">expired</Badge>
  if (!enabled) return <Badge color="orange">disabled</Badge>
  if (suspended !== null) return <Badge color="red">{suspensions[suspended] ?? suspended}</Badge>
  return replacedBy === null ? null : <Badge color="orange">rotated</Badge>
}

const suspensions: Readonly<Record<string, string>> = {
  policy: 'breaks the policy',
  member: 'creator disabled or left',
  stale: 'creator must sign in',
}

export const suspensionTexts: Readonly<Record<string, string>> = {
  policy:
    'This key breaks the key policy, so the server rejects it. Create another key. If this key’s networks or expiration time break the policy, you can instead change them with “muster keys update”.',
  member:
    'The server rejects this key, because the person who created it no longer has access to this server or is no longer a member of this account. If a program still needs access, create another key.',
  stale: 'The server rejects this key until the person who created it signs in again with single sign-on.',
}

export function KeyBadges({ accessKey }: { accessKey: AccessKeyFieldsFragment }) {
  const { readOnly, requireDigest, algorithm, kind, where, context, attributes, networks } = accessKey
  const isRestricted = where !== null || context !== null || attributes !== null
  return (
    <Group gap={4}>
      <Badge color={readOnly ? 'gray' : 'indigo'}>{readOnly ? 'read-only' : 'read and write'}</Badge>
      {kind === 'personal' ? <Badge color="gray">personal</Badge> : null}
      {isRestricted ? <Badge color="gray">restricted</Badge> : null}
      {networks.length > 0 ? <Badge color="gray">limited networks</Badge> : null}
      {requireDigest ? <Badge color="gray">digest required</Badge> : null}
      {algorithm === 'ed25519' ? <Badge color="gray">ed25519</Badge> : null}
    </Group>
  )
}
