import { Group } from '@mantine/core'
import { useQuery } from 'urql'
import filterClasses from '../../components/filters.module.css'
import { ConditionPills } from '../filters/condition-pills.tsx'
import type { FilterProblem } from '../filters/filter-problem.ts'
import { SearchBox } from '../filters/search-box.tsx'
import { ServiceTypeControl, StateControl } from '../filters/state-and-type-controls.tsx'
import { ApplicationTypesDocument } from './services.generated.ts'
import type { ServicesSearch } from './services-search.ts'

interface ServiceFiltersProps {
  where: string | undefined
  context: string | undefined
  isBusy: boolean
  problem: FilterProblem | undefined
  onChange(patch: ServicesSearch, options?: { replace?: boolean }): void
}

export function ServiceFilters({ where, context, isBusy, problem, onChange }: ServiceFiltersProps) {
  const [{ data }] = useQuery({ query: ApplicationTypesDocument, requestPolicy: 'cache-first' })
  const choose = (next: string | undefined): void => onChange({ where: next })
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
        <StateControl where={where} onChange={choose} />
        <ServiceTypeControl
          where={where}
          onChange={choose}
          subject="application"
          types={data?.applicationTypes ?? []}
          placeholder="Any type"
        />
      </Group>
      <ConditionPills where={where} context={undefined} onChange={onChange} />
    </>
  )
}
