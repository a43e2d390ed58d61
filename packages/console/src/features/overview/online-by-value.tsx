import { Select, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { RouterAnchor } from '../../app/links.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useAttributeNames } from '../attributes/use-attribute-names.ts'
import { nameAmongFields, subjectOf } from '../filters/conditions.ts'
import { labelOfName, useLabels } from '../user-settings/labels.ts'
import classes from './online-by-value.module.css'
import { Part } from './part.tsx'
import { useFacet } from './use-facet.ts'

interface OnlineByValueProps {
  by: string | undefined
  onBy(by: string): void
  /** Changes when the counts may have changed, so that the component fetches them again. */
  version: number
}

export function OnlineByValue({ by: chosen, onBy, version }: OnlineByValueProps) {
  const { by, facet, error, refetch } = useFacet(chosen)
  const [isOpened, setOpened] = useState(false)
  const { names = [] } = useAttributeNames({ pause: !isOpened })
  const labels = useLabels()
  useEffect(() => {
    if (version > 0) refetch({ requestPolicy: 'network-only' })
  }, [version, refetch])
  const labelOf = (name: string): string => labelOfName(name, labels)
  const used = names.filter(({ devices }) => devices > 0).map(({ name }) => nameAmongFields(name))
  const options = [...new Set([...(by === undefined ? [] : [by]), ...used, 'platform', 'services.port'])]
  return (
    <Part
      title="Active by value"
      actions={
        <Select
          size="xs"
          w={170}
          aria-label="Attribute or field"
          searchable
          allowDeselect={false}
          data={options.map((value) => ({ value, label: labelOf(value) }))}
          value={by ?? null}
          onDropdownOpen={() => setOpened(true)}
          onChange={(value) => value !== null && onBy(value)}
          limit={100}
        />
      }
    >
      <ErrorNotice error={error} title="The devices could not be counted" onRetry={() => refetch()} />
      {facet === undefined || by === undefined ? null : (
        <table className={classes.table} aria-label={`Active devices by ${labelOf(by)}`}>
          <thead>
            <tr>
              <th scope="col">{labelOf(by)}</th>
              <th scope="col">Active</th>
              <th scope="col">Devices</th>
            </tr>
          </thead>
          <tbody>
            {facet.buckets.map(({ value, count, active, where }) => (
              <Row key={value} label={value === '' ? '(empty)' : value} {...{ count, active, where }} />
            ))}
            {facet.other === 0 ? null : (
              <Row
                label="Other values"
                count={facet.other}
                active={facet.otherActive}
                where={whereOther(by, facet.buckets)}
              />
            )}
            {facet.missing === 0 ? null : (
              <Row
                label="No value"
                count={facet.missing}
                active={facet.missingActive}
                where={`NOT ${subjectOf(by)}:*`}
              />
            )}
          </tbody>
        </table>
      )}
    </Part>
  )
}

/**
 * Returns a filter for devices with a value outside the given buckets. Returns undefined for fields and attributes of
 * services, because a device can have services in several buckets.
 */
function whereOther(by: string, buckets: readonly { where: string }[]): string | undefined {
  if (by.startsWith('services.')) return undefined
  const subject = subjectOf(by)
  const values = buckets.map(({ where }) => / = (.*)$/s.exec(where)?.[1])
  const others = values.includes(undefined)
    ? buckets.map(({ where }) => `NOT (${where})`).join(' AND ')
    : `${subject} != (${values.join(' OR ')})`
  return `${subject}:* AND ${others}`
}

interface RowProps {
  label: string
  count: number
  active: number
  /** Filter for the devices that the row counts. Undefined if no filter can find them. */
  where?: string | undefined
}

function Row({ label, count, active, where }: RowProps) {
  const link = (filter: string, number: number) => (
    <RouterAnchor to="/devices" search={{ where: filter }} inherit>
      {number.toLocaleString()}
    </RouterAnchor>
  )
  return (
    <tr>
      <th scope="row">
        <Text size="sm" truncate title={label} c={where === undefined ? 'dimmed' : undefined}>
          {label}
        </Text>
        <div className={classes.bar} aria-hidden="true">
          <div style={{ width: `${count === 0 ? 0 : (100 * active) / count}%` }} />
        </div>
      </th>
      <td>{where === undefined ? active.toLocaleString() : link(`${where} AND state = active`, active)}</td>
      <td>{where === undefined ? count.toLocaleString() : link(where, count)}</td>
    </tr>
  )
}
