import { Group, MultiSelect, Select } from '@mantine/core'
import { useQuery } from 'urql'
import filterClasses from '../../components/filters.module.css'
import { ConditionPills } from '../filters/condition-pills.tsx'
import { chooseValues, valuesOf } from '../filters/conditions.ts'
import type { problemOf } from '../filters/filter-problem.ts'
import { SearchBox } from '../filters/search-box.tsx'
import { ApplicationTypesDocument } from './services.generated.ts'
import type { ServicesSearch } from './services-search.ts'

interface ServiceFiltersProps {
  where: string | undefined
  /** The context in which the filter reads attributes. */
  context: string | undefined
  isBusy: boolean
  problem: ReturnType<typeof problemOf>
  onChange(patch: ServicesSearch, options?: { replace?: boolean }): void
}

/** Shows the search box and the controls that edit the filter's conditions. */
export function ServiceFilters({ where, context, isBusy, problem, onChange }: ServiceFiltersProps) {
  const [{ data }] = useQuery({ query: ApplicationTypesDocument, requestPolicy: 'cache-first' })
  const choose = (subject: string, values: string[]): void => onChange({ where: chooseValues(where, subject, values) })
  const chosenTypes = valuesOf(where, 'application')
  return (
    <>
      <Group
        gap="xs"
        mb="xs"
        align="flex-start"
        role="search"
        aria-label="Filter services"
        className={filterClasses.filters}
      >
        <SearchBox
          kind="SERVICES"
          label="Search services"
          placeholder="Name, host, or filter such as port = 22"
          where={where}
          context={context}
          isBusy={isBusy}
          problem={problem}
          onChange={(next, how) => onChange({ where: next }, how)}
        />
        <Select
          aria-label="State"
          placeholder="Any state"
          data={[
            { value: 'active', label: 'Active' },
            { value: 'inactive', label: 'Inactive' },
          ]}
          value={valuesOf(where, 'state')[0] ?? null}
          onChange={(state) => choose('state', state === null ? [] : [state])}
          clearable
          w={130}
        />
        <MultiSelect
          aria-label="Service type"
          placeholder={chosenTypes.length === 0 ? 'Any type' : undefined}
          data={(data?.applicationTypes ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          value={chosenTypes}
          onChange={(values) => choose('application', values)}
          searchable
          clearable
          w={180}
        />
      </Group>
      <ConditionPills where={where} context={undefined} onChange={onChange} />
    </>
  )
}
