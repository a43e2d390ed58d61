import { Box, Group } from '@mantine/core'
import { lazy, Suspense } from 'react'
import classes from '../../../components/filters.module.css'
import type { FilterProblem } from '../../filters/filter-problem.ts'
import { SearchBox } from '../../filters/search-box.tsx'
import type { DevicesSearch } from '../devices-search.ts'
import type { FilterSelectsProps } from './filter-controls.tsx'

const FilterSelects = lazy(async () => ({ default: (await import('./filter-controls.tsx')).FilterSelects }))
const ConditionPills = lazy(async () => ({
  default: (await import('../../filters/condition-pills.tsx')).ConditionPills,
}))

interface DeviceFiltersProps extends FilterSelectsProps {
  context: string | undefined
  /** Whether the first request for rows has ended. The controls load after this request. */
  hasRows: boolean
  isBusy: boolean
  problem: FilterProblem | undefined
  onChange(patch: Partial<DevicesSearch>, options?: { replace?: boolean }): void
}

export function DeviceFilters({ search, context, hasRows, isBusy, problem, onChange, options }: DeviceFiltersProps) {
  const { where } = search
  return (
    <>
      <Group gap="xs" mb="xs" align="flex-start" role="search" aria-label="Filter devices" className={classes.filters}>
        <SearchBox
          kind="DEVICES"
          label="Search devices"
          placeholder="Name, ID, or filter such as site = oslo"
          where={where}
          context={context}
          isBusy={isBusy}
          problem={problem}
          onChange={(next, how) => onChange({ where: next }, how)}
        />
        <Suspense fallback={<ControlSpace />}>
          {hasRows ? <FilterSelects search={search} onChange={onChange} options={options} /> : <ControlSpace />}
        </Suspense>
      </Group>
      {hasRows && (where !== undefined || search.context !== undefined) ? (
        <Suspense>
          <ConditionPills where={where} context={search.context} onChange={onChange} />
        </Suspense>
      ) : null}
    </>
  )
}

/** Reserves space for the controls, so that the list does not move when the controls appear. */
const ControlSpace = () =>
  [130, 160, 160, 152].map((width, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list of widths never changes
    <Box key={index} w={width} h={36} />
  ))
