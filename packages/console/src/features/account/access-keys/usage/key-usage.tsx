import { Code, Select, Text } from '@mantine/core'
import { ListRow, ListTable } from '../../../../components/list-table.tsx'
import { Section } from '../../../../components/section.tsx'
import { Time } from '../../../../components/time.tsx'
import type { AccessKeyDetails } from '../key-facts.tsx'
import { UnusedPermissions } from './unused-permissions.tsx'

interface KeyUsageProps {
  accessKey: AccessKeyDetails
  days: number
  onDays: (days: number) => void
}

const choices = [7, 30, 90, 365].map((days) => ({ value: String(days), label: `${days} days` }))

export function KeyUsage({ accessKey, days, onDays }: KeyUsageProps) {
  const { usage } = accessKey
  return (
    <Section
      title="Usage"
      about="The API fields that programs used, or tried to use, with this key. The server updates the counts once a minute."
      actions={
        <Select
          aria-label="Period"
          data={choices}
          value={String(days)}
          onChange={(value) => onDays(Number(value))}
          allowDeselect={false}
          w={120}
        />
      }
    >
      <UnusedPermissions accessKey={accessKey} days={days} />
      {usage.length === 0 ? (
        <Text c="dimmed">No uses in the last {days} days.</Text>
      ) : (
        <ListTable label="Usage" columns={['Field', 'Permission', 'Uses', 'Rejected', 'Last used']} minWidth={560}>
          {usage.map(({ field, permission, uses, rejected, lastUsed }) => (
            <ListRow key={`${field} ${permission}`}>
              <Code>{field}</Code>
              {permission}
              {uses.toLocaleString()}
              {rejected.toLocaleString()}
              <Time value={lastUsed} />
            </ListRow>
          ))}
        </ListTable>
      )}
    </Section>
  )
}
