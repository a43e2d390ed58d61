import { Input, Select, Stack, TextInput } from '@mantine/core'
import type { RefObject } from 'react'
import { useQuery } from 'urql'
import { DeviceViewNamesDocument } from './filters.generated.ts'
import { SearchBox } from './search-box.tsx'

/** Selects devices by a filter, a view, or both. */
export interface SelectionValues {
  where: string | null
  view: string | null
  context: string | null
}

interface DeviceSelectionProps {
  value: SelectionValues
  onChange(value: SelectionValues): void
  /**
   * Element around the filter's input. The input may contain a filter with a syntax error, which `value` never
   * contains.
   */
  box: RefObject<HTMLDivElement | null>
  /** Descriptions of the fields. */
  about: { where: string; view: string }
  placeholder: string
}

/** Returns the filter as typed, even if it is invalid, because the server then reports the error. */
export const typedFilter = (box: RefObject<HTMLDivElement | null>): string | null =>
  box.current?.querySelector('input')?.value.trim() || null

/** Shows the fields for a filter, a view, and a context. */
export function DeviceSelection({ value, onChange, box, about, placeholder }: DeviceSelectionProps) {
  const [{ data }] = useQuery({ query: DeviceViewNamesDocument, requestPolicy: 'cache-and-network' })
  const views = (data?.login?.views ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Stack>
      <Input.Wrapper label="Devices" labelElement="div" description={about.where}>
        <div ref={box}>
          <SearchBox
            kind="DEVICES"
            label="Devices"
            placeholder={placeholder}
            where={value.where ?? undefined}
            context={value.context ?? undefined}
            isBusy={false}
            problem={undefined}
            onChange={(where) => onChange({ ...value, where: where ?? null })}
          />
        </div>
      </Input.Wrapper>
      {views.length === 0 && value.view === null ? null : (
        <Select
          label="View"
          description={about.view}
          placeholder="All devices"
          data={views}
          value={value.view}
          onChange={(view) => onChange({ ...value, view })}
          clearable
          searchable
        />
      )}
      <TextInput
        label="Context"
        description="Leave empty to use the view's context, or base values without a view."
        value={value.context ?? ''}
        onChange={(event) => onChange({ ...value, context: event.currentTarget.value || null })}
      />
    </Stack>
  )
}
