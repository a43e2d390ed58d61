import { TextInput } from '@mantine/core'
import { ListField, type ListInput, type NamedRow } from './list-field.tsx'

export interface AttributeRow extends NamedRow {
  value: string
}

export function AttributesField(input: ListInput<AttributeRow>) {
  return (
    <ListField
      label="Attributes"
      what="attribute"
      empty={{ name: '', value: '' }}
      input={input}
      fields={({ name, value }, change, number) => (
        <>
          <TextInput
            flex={1}
            aria-label={`Name of attribute ${number}`}
            placeholder="site"
            value={name}
            onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          />
          <TextInput
            flex={2}
            aria-label={`Value of attribute ${number}`}
            placeholder="oslo"
            value={value}
            onChange={({ currentTarget }) => change({ value: currentTarget.value })}
          />
        </>
      )}
    />
  )
}

export const attributesFrom = (rows: readonly AttributeRow[]): Record<string, string> | null =>
  rows.length === 0 ? null : Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value]))
