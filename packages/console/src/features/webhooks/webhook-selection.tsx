import { Input, Select, Stack, TextInput } from '@mantine/core'
import type { RefObject } from 'react'
import { useQuery } from 'urql'
import { SearchBox } from '../filters/search-box.tsx'
import { DeviceViewNamesDocument } from './webhooks.generated.ts'

/** What selects the devices whose events a webhook sends. */
export interface SelectionValues {
  where: string | null
  view: string | null
  context: string | null
}

interface WebhookSelectionProps {
  value: SelectionValues
  onChange(value: SelectionValues): void
  /** The element around the filter's input, which may contain a filter with wrong syntax that `value` does not. */
  box: RefObject<HTMLDivElement | null>
}

/** Returns the filter as it is typed, right or wrong. The server reports what is wrong. */
export const typedFilter = (box: RefObject<HTMLDivElement | null>): string | null =>
  box.current?.querySelector('input')?.value.trim() || null

/** Fields for a filter, a view, and a context. */
export function WebhookSelection({ value, onChange, box }: WebhookSelectionProps) {
  const [{ data }] = useQuery({ query: DeviceViewNamesDocument, requestPolicy: 'cache-and-network' })
  const views = (data?.login?.views ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Stack>
      <Input.Wrapper
        label="Devices"
        labelElement="div"
        description="Only events of devices that match right before or right after the event. Empty for all events."
      >
        <div ref={box}>
          <SearchBox
            kind="DEVICES"
            label="Devices"
            placeholder="site = oslo AND state = inactive"
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
          description="Only events of devices in this view. Changes of the view apply from the next event on."
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
        description="The context in which the filter reads attributes. Empty for the base values, or the context of the view."
        value={value.context ?? ''}
        onChange={(event) => onChange({ ...value, context: event.currentTarget.value || null })}
      />
    </Stack>
  )
}
