import { Code, TextInput } from '@mantine/core'
import { IconSearch, IconTag } from '@tabler/icons-react'
import { useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ListRow, ListTable } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { Section } from '../../components/section.tsx'
import { Time } from '../../components/time.tsx'
import { groupOf, RESERVED_GROUP } from '../attributes/attribute-rows.ts'
import { useAttributeNames } from '../attributes/use-attribute-names.ts'
import { columnOfAttribute } from '../devices/columns/columns.ts'
import { FreshnessSection } from '../freshness/freshness-section.tsx'
import { useViewer } from '../user-settings/viewer.ts'

export function AttributeNamesPage() {
  const { may } = useViewer()
  if (may('DEVICE_READ')) return <AttributeNames />
  return (
    <Section title="Attribute names">
      <NotAllowed permissions={['DEVICE_READ']}>You cannot see devices or their attributes.</NotAllowed>
    </Section>
  )
}

function AttributeNames() {
  const { names, error, refetch } = useAttributeNames({ requestPolicy: 'cache-and-network' })
  return (
    <>
      <Names {...{ names, error, refetch }} />
      <FreshnessSection names={names?.map(({ name }) => name) ?? []} />
    </>
  )
}

function Names({ names, error, refetch }: ReturnType<typeof useAttributeNames>) {
  const [part, setPart] = useState('')
  const shown = names?.filter(({ name }) => name.toLowerCase().includes(part.trim().toLowerCase()))
  return (
    <Section
      title="Attribute names"
      about="The names of the attributes of your devices and services, including attributes that have overrides but no base value. The list contains at most the 10,000 most frequent names."
    >
      <ErrorNotice error={error} title="The names could not be loaded" onRetry={refetch} />
      {names === undefined && error === undefined ? <Loading what="attribute names" /> : null}
      {names?.length === 0 ? (
        <EmptyState icon={<IconTag size={22} />} title="No attributes yet">
          Open a device and add an attribute, or let devices report attributes.
        </EmptyState>
      ) : null}
      {shown === undefined || names?.length === 0 ? null : (
        <>
          <TextInput
            mb="sm"
            maw={320}
            aria-label="Find a name"
            placeholder="Find a name"
            leftSection={<IconSearch size={16} />}
            value={part}
            onChange={({ currentTarget }) => setPart(currentTarget.value)}
          />
          <ListTable label="Attribute names" columns={['Name', 'Devices', 'Services', 'Last changed']} minWidth={480}>
            {shown.map(({ name, devices, services, lastChanged }) => (
              <ListRow key={name}>
                <Code>{name}</Code>
                <DevicesLink name={name} devices={devices} />
                {services.toLocaleString()}
                <Time value={lastChanged} none="not recently" />
              </ListRow>
            ))}
          </ListTable>
        </>
      )}
    </Section>
  )
}

/** Links to the device list with a column for the attribute, sorted so that devices with a value come first. */
function DevicesLink({ name, devices }: { name: string; devices: number }) {
  const count = devices.toLocaleString()
  if (devices === 0) return count
  const column = columnOfAttribute(name)
  const sort = `${groupOf(name) === RESERVED_GROUP ? name : column} asc`
  return (
    <RouterAnchor to="/devices" search={{ columns: ['name', 'state', column], sort }} inherit>
      {count}
    </RouterAnchor>
  )
}
