import { Group, MultiSelect, Pill, Select, TagsInput } from '@mantine/core'
import classes from '../../../components/filters.module.css'
import type { DevicesSearch } from '../devices-search.ts'
import type { ListOptions } from '../list-options.ts'
import { AttributeFilter } from './attribute-filter.tsx'
import type { FilterProblem } from './filter-problem.ts'
import { SearchBox } from './search-box.tsx'

interface DeviceFiltersProps {
  search: DevicesSearch
  /** Whether the rows of a new filter or sort order are loading. */
  isBusy: boolean
  /** What the server found wrong with `search.where`. */
  problem: FilterProblem | undefined
  onChange(patch: Partial<DevicesSearch>, options?: { replace?: boolean }): void
  options: ListOptions | undefined
  /** Suggested platforms. */
  platforms: readonly string[]
}

export function DeviceFilters({ search, isBusy, problem, onChange, options, platforms }: DeviceFiltersProps) {
  const types = (options?.applicationTypes ?? []).map(({ id, name }) => ({ value: String(id), label: name }))
  const attributes = Object.entries(search.attributes ?? {})
  const withoutAttribute = (name: string): DevicesSearch['attributes'] =>
    orUndefined(Object.fromEntries(attributes.filter(([each]) => each !== name)))
  return (
    <Group gap="xs" mb="xs" align="flex-start" role="search" aria-label="Filter devices" className={classes.filters}>
      <SearchBox
        where={search.where}
        context={search.context}
        isBusy={isBusy}
        problem={problem}
        onChange={(where, options) => onChange({ where }, options)}
      />
      <Select
        aria-label="State"
        placeholder="Any state"
        data={[
          { value: 'active', label: 'Active' },
          { value: 'inactive', label: 'Inactive' },
        ]}
        value={search.state ?? null}
        onChange={(state) => onChange({ state: (state as DevicesSearch['state']) ?? undefined })}
        clearable
        w={130}
      />
      <TagsInput
        aria-label="Platform"
        placeholder={search.platform === undefined ? 'Any platform' : undefined}
        data={[...platforms]}
        value={search.platform ?? []}
        onChange={(platform) => onChange({ platform: platform.length === 0 ? undefined : platform })}
        acceptValueOnBlur
        clearable
        miw={150}
        maw={320}
      />
      <MultiSelect
        aria-label="Service type"
        placeholder={search.application === undefined ? 'Any service' : undefined}
        data={types}
        value={(search.application ?? []).map(String)}
        onChange={(chosen) => onChange({ application: chosen.length === 0 ? undefined : chosen.map(Number) })}
        searchable
        clearable
        miw={150}
        maw={320}
      />
      <AttributeFilter
        names={options?.attributes ?? []}
        context={search.context}
        onAdd={(name, value, context) =>
          onChange({ attributes: { ...search.attributes, [name]: value }, context: context || undefined })
        }
        onContext={(context) => onChange({ context: context || undefined })}
      />
      {search.name === undefined ? null : (
        <Pill
          size="md"
          withRemoveButton
          removeButtonProps={{ 'aria-label': 'Remove filter name', 'aria-hidden': false, tabIndex: 0 }}
          onRemove={() => onChange({ name: undefined })}
        >
          name contains {search.name}
        </Pill>
      )}
      {attributes.map(([name, value]) => (
        <Pill
          key={name}
          size="md"
          withRemoveButton
          removeButtonProps={{ 'aria-label': `Remove filter ${name}`, 'aria-hidden': false, tabIndex: 0 }}
          onRemove={() => onChange({ attributes: withoutAttribute(name) })}
        >
          {name} = {value === '' ? '(empty)' : value}
        </Pill>
      ))}
      {search.context === undefined ? null : (
        <Pill
          size="md"
          withRemoveButton
          removeButtonProps={{ 'aria-label': 'Use base values', 'aria-hidden': false, tabIndex: 0 }}
          onRemove={() => onChange({ context: undefined })}
        >
          in context {search.context}
        </Pill>
      )}
    </Group>
  )
}

const orUndefined = (values: Record<string, string>): Record<string, string> | undefined =>
  Object.keys(values).length === 0 ? undefined : values
