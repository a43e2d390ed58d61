import { Checkbox, Stack, TagsInput, Text } from '@mantine/core'
import type { RefObject } from 'react'
import type { Permission } from '../../graphql/schema-types.generated.ts'
import { useAttributeNames } from '../attributes/use-attribute-names.ts'
import { DeviceSelection } from '../filters/device-selection.tsx'
import type { AttributeNames, RestrictionValues } from './access-values.ts'
import { describeUnrestrictable } from './permissions.ts'

interface RestrictionFieldsProps {
  what: 'role' | 'key'
  permissions: readonly Permission[]
  value: RestrictionValues
  onChange(value: RestrictionValues): void
  box: RefObject<HTMLDivElement | null>
}

export function RestrictionFields({ what, permissions, value, onChange, box }: RestrictionFieldsProps) {
  const ruledOut = describeUnrestrictable(permissions)
  if (ruledOut !== undefined)
    return (
      <Text size="sm" c="dimmed">
        This {what} applies to all devices and attributes. A {what} with any of these permissions cannot be restricted:{' '}
        {ruledOut}.
      </Text>
    )
  const about = {
    where: `This ${what} gives access only to devices that match this filter. Leave empty for no filter.`,
    view: `This ${what} gives access only to devices in this view. Changes to the view take effect within a second.`,
  }
  return (
    <Stack>
      <DeviceSelection
        value={value}
        onChange={(selection) => onChange({ ...value, ...selection })}
        box={box}
        about={about}
        placeholder="site = oslo"
      />
      <Checkbox
        label="Only some attributes"
        description="Other attributes cannot be set, and appear to have no value."
        checked={value.attributes !== null}
        onChange={({ currentTarget }) =>
          onChange({ ...value, attributes: currentTarget.checked ? { read: [], write: [] } : null })
        }
      />
      {value.attributes === null ? null : (
        <AttributeFields
          maySet={permissions.includes('ATTRIBUTE_WRITE')}
          value={value.attributes}
          onChange={(attributes) => onChange({ ...value, attributes })}
        />
      )}
    </Stack>
  )
}

interface AttributeFieldsProps {
  maySet: boolean
  value: AttributeNames
  onChange(value: AttributeNames): void
}

function AttributeFields({ maySet, value, onChange }: AttributeFieldsProps) {
  const { names = [] } = useAttributeNames()
  const data = names.map(({ name }) => name)
  return (
    <>
      <TagsInput
        label="Attributes to read"
        description="Names, optionally with a trailing wildcard, such as status.*"
        data={data}
        value={value.read}
        onChange={(read) => onChange({ ...value, read })}
        acceptValueOnBlur
      />
      {maySet ? (
        <TagsInput
          label="Attributes to set"
          description="These attributes can also be read."
          data={data}
          value={value.write}
          onChange={(write) => onChange({ ...value, write })}
          acceptValueOnBlur
        />
      ) : null}
    </>
  )
}
