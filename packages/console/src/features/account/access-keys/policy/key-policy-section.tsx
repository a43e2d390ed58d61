import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { RouterAnchor } from '../../../../app/links.tsx'
import { Facts } from '../../../../components/facts.tsx'
import { Section } from '../../../../components/section.tsx'
import { Time } from '../../../../components/time.tsx'
import { useViewer } from '../../../user-settings/viewer.ts'
import { daysText } from '../../expiry.tsx'
import type { AccessKeysQuery } from '../keys.generated.ts'
import { KeyPolicyDialog } from './key-policy-dialog.tsx'

type PolicyWithViolations = NonNullable<NonNullable<AccessKeysQuery['login']>['keyPolicy']>

export function KeyPolicySection({ policy }: { policy: PolicyWithViolations }) {
  const { may } = useViewer()
  const [opened, { open, close }] = useDisclosure()
  const { maxDays, personalKeys, requireDigest, requireNetworks, enforcedFrom, violations } = policy
  const facts = [
    { label: 'Maximum key lifetime', value: maxDays === null ? 'no limit' : daysText(maxDays) },
    { label: 'Personal keys', value: personalKeys ? 'allowed' : 'not allowed' },
    { label: 'Digest of the body', value: requireDigest ? 'required' : 'optional' },
    { label: 'Networks', value: requireNetworks ? 'required' : 'optional' },
    { label: 'Enforced for existing keys from', value: <Time value={enforcedFrom} format="local" /> },
  ]
  return (
    <Section
      title="Key policy"
      about={
        may('ACCOUNT_MANAGE')
          ? 'New keys must follow these rules. Existing keys must follow them from the date that you choose, if any.'
          : 'New keys must follow these rules. Only members with the permission ACCOUNT_MANAGE, such as admins, can change them.'
      }
      actions={
        may('ACCOUNT_MANAGE') ? (
          <Button variant="default" onClick={open}>
            Change policy
          </Button>
        ) : undefined
      }
    >
      <Facts facts={facts} />
      <Violations policy={policy} />
      {violations.length > 0 ? null : <Text c="dimmed">No valid key breaks the policy.</Text>}
      <KeyPolicyDialog policy={policy} opened={opened} onClose={close} />
    </Section>
  )
}

function Violations({ policy: { violations, enforcedFrom } }: { policy: PolicyWithViolations }) {
  const isEnforced = enforcedFrom !== null && new Date(enforcedFrom) <= new Date()
  if (!isEnforced) return <KeyLinks title="These keys break a rule:" keys={violations} />
  return (
    <>
      <KeyLinks
        title="The server rejects these keys, which break a rule:"
        keys={violations.filter(({ suspended }) => suspended === 'policy')}
      />
      <KeyLinks
        title="These keys also break a rule, but the server rejects them for another reason:"
        keys={violations.filter(({ suspended }) => suspended !== null && suspended !== 'policy')}
      />
      <KeyLinks
        title="These keys do not require a digest of the body, but the server requires one because of the policy:"
        keys={violations.filter(({ suspended }) => suspended === null)}
      />
    </>
  )
}

function KeyLinks({ title, keys }: { title: string; keys: PolicyWithViolations['violations'] }) {
  if (keys.length === 0) return null
  return (
    <Text>
      {title}{' '}
      {keys.map(({ key, name }, index) => (
        <span key={key}>
          {index === 0 ? '' : ', '}
          <RouterAnchor to="/account/keys/$keyId" params={{ keyId: key }} inherit>
            {name ?? key}
          </RouterAnchor>
        </span>
      ))}
    </Text>
  )
}
