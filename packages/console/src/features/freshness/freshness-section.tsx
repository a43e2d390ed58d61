import { Button, Code, Group, Table, Text } from '@mantine/core'
import { writeNameArgument } from '@muster/filter'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useQuery } from 'urql'
import { RouterAnchor } from '../../app/links.tsx'
import { ConfirmButton } from '../../components/dialogs/confirm-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ListRow, ListTable } from '../../components/list-table.tsx'
import { Section } from '../../components/section.tsx'
import { useChange, useTypes } from '../../graphql/use-change.ts'
import { columnOfAttribute } from '../devices/columns/columns.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { FreshnessRulesDocument, type FreshnessRulesQuery, SetExpectedIntervalDocument } from './freshness.generated.ts'
import { describeInterval } from './interval.ts'
import { IntervalDialog } from './interval-dialog.tsx'

type Rule = NonNullable<FreshnessRulesQuery['login']>['freshness'][number]

export function FreshnessSection({ names }: { names: readonly string[] }) {
  const { may, isRestrictedToDevices } = useViewer()
  const canEdit = may('ATTRIBUTE_WRITE') && !isRestrictedToDevices
  const [{ data, error }, refetch] = useQuery({ query: FreshnessRulesDocument, context: useTypes('Freshness') })
  const [editing, setEditing] = useState<Rule | 'new'>()
  const rules = data?.login?.freshness
  return (
    <Section
      title="Freshness"
      about="Clients are expected to write each of these attributes once per interval. A value that has not been written for 1.25 intervals is stale. The pages of devices and services show stale values in gray, with the time of the last write."
      actions={
        canEdit ? (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>
            Set an interval
          </Button>
        ) : undefined
      }
    >
      <ErrorNotice error={error} title="The intervals could not be loaded" onRetry={() => refetch()} />
      {rules?.length === 0 ? <Text c="dimmed">No attribute has an expected interval.</Text> : null}
      {rules === undefined || rules.length === 0 ? null : (
        <ListTable label="Freshness" columns={['Name', 'Expected', 'Stale devices', '']} minWidth={480}>
          {rules.map((rule) => (
            <ListRow key={rule.name}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Code>{rule.name}</Code>
              </Table.Td>
              {describeInterval(rule.seconds)}
              <StaleDevices rule={rule} />
              {canEdit ? <RuleButtons rule={rule} onEdit={() => setEditing(rule)} /> : null}
            </ListRow>
          ))}
        </ListTable>
      )}
      <IntervalDialog rule={editing} names={names} onClose={() => setEditing(undefined)} />
    </Section>
  )
}

function StaleDevices({ rule: { name, stale } }: { rule: Rule }) {
  if (stale === 0) return '0'
  return (
    <RouterAnchor
      to="/devices"
      search={{ where: `stale(${writeNameArgument(name)})`, columns: ['name', 'state', columnOfAttribute(name)] }}
      inherit
      aria-label={`${stale.toLocaleString()} ${stale === 1 ? 'device' : 'devices'} with a stale value of ${name}`}
    >
      {stale.toLocaleString()}
    </RouterAnchor>
  )
}

function RuleButtons({ rule: { name }, onEdit }: { rule: Rule; onEdit(): void }) {
  const set = useChange(SetExpectedIntervalDocument, ['Freshness', 'AttributeInfo'])
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="compact-sm" variant="default" aria-label={`Change the interval of ${name}`} onClick={onEdit}>
        Change
      </Button>
      <ConfirmButton
        label="Remove"
        size="compact-sm"
        aria-label={`Remove the interval of ${name}`}
        title={`Remove the interval of ${name}?`}
        confirm="Remove interval"
        danger
        onConfirm={() => set({ name, seconds: null })}
      >
        Values of {name} will no longer become stale. The values themselves do not change.
      </ConfirmButton>
    </Group>
  )
}
