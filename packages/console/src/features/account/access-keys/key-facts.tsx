import { Code } from '@mantine/core'
import { RouterAnchor } from '../../../app/links.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Time } from '../../../components/time.tsx'
import { describePermissions } from '../../access/permissions.ts'
import { RestrictionSummary } from '../../access/restriction-summary.tsx'
import type { AccessKeyDetailsQuery } from './keys.generated.ts'

export type AccessKeyDetails = NonNullable<AccessKeyDetailsQuery['login']>['accessKeys'][number]

export function KeyFacts({ accessKey }: { accessKey: AccessKeyDetails }) {
  const { key, kind, algorithm, readOnly, requireDigest, replacedBy, created, createdBy, expires, lastUsed } = accessKey
  const { permissions, networks, rateShare } = accessKey
  const facts = [
    { label: 'Key ID', value: <Code>{key}</Code>, copy: key },
    {
      label: 'Permissions',
      value: `${describePermissions(permissions)}${readOnly ? ' (read-only)' : ''}`,
    },
    {
      label: 'Devices and attributes',
      value: <RestrictionSummary restriction={accessKey} none="all that its permissions allow" />,
    },
    { label: 'Networks', value: networks.length === 0 ? 'any' : networks.join(', ') },
    { label: 'Share of the rate limit', value: `${rateShare}%` },
    { label: 'Belongs to', value: kind === 'personal' ? (createdBy?.user?.email ?? 'a person') : 'the account' },
    { label: 'Signed with', value: algorithm === 'ed25519' ? 'an Ed25519 key' : 'a secret' },
    { label: 'Digest of the body', value: requireDigest ? 'required' : 'optional' },
    { label: 'Expires', value: <Time value={expires} /> },
    { label: 'Last used', value: <Time value={lastUsed} /> },
    { label: 'Created', value: <Time value={created} /> },
    ...(createdBy?.user == null ? [] : [{ label: 'Created by', value: createdBy.user.email }]),
    ...(replacedBy === null
      ? []
      : [
          {
            label: 'Replaced by',
            value: (
              <RouterAnchor to="/account/keys/$keyId" params={{ keyId: replacedBy }} inherit>
                {replacedBy}
              </RouterAnchor>
            ),
          },
        ]),
  ]
  return <Facts facts={facts} />
}
