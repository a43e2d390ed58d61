import { Input, Select, Stack, TextInput } from '@mantine/core'
import type { RefObject } from 'react'
import { useQuery } from 'urql'
import { SearchBox } from '../filters/search-box.tsx'
import { DeviceViewNamesDocument } from './webhooks.generated.ts'

/** Selects the devices whose events a webhook sends. */
export interface SelectionValues {
  where: string | null
  view: string | null
  context: string | null
}

interface WebhookSelectionProps {
  value: SelectionValues
  onChange(value: SelectionValues): void
  /**
   * Element around the filter's input. The input may contain a filter with a syntax error, which `value` never
   * contains.
   */
  box: RefObject<HTMLDivElement | null>
}

/** Returns the filter as typed, even if it is invalid, because the server then reports the error. */
export const typedFilter = (box: RefObject<HTMLDivElement | null>): string | null =>
  box.current?.querySelector('input')?.value.trim() || null

/** Shows the fields for a filter, a view, and a context. */
export function WebhookSelection({ value, onChange, box }: WebhookSelectionProps) {
  const [{ data }] = useQuery({ query: DeviceViewNamesDocument, requestPolicy: 'cache-and-network' })
  const views = (data?.login?.views ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Stack>
      <Input.Wrapper
        label="Devices"
        labelElement="div"
        description="Sends only events of devices that match immediately before or after the event. Leave empty to send all events."
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
          description="Sends only events of devices in this view. Changes to the view take effect with the next event."
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
