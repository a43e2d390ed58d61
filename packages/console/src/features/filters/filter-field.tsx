import { Box, Input } from '@mantine/core'
import type { RefObject } from 'react'
import type { ListKind } from './filter-problem.ts'
import { SearchBox } from './search-box.tsx'

interface FilterFieldProps {
  kind: ListKind
  label: string
  description: string
  placeholder: string
  value: string | null
  onChange(value: string | null): void
  context?: string | undefined
  /**
   * The element that contains the input. `typedFilter` reads the input, because the field does not call `onChange` for
   * a filter with a syntax error.
   */
  box: RefObject<HTMLDivElement | null>
}

/**
 * Returns the filter as typed, even if it is invalid, because the server then reports the error. Returns null if the
 * field is empty.
 */
export const typedFilter = (box: RefObject<HTMLDivElement | null>): string | null =>
  box.current?.querySelector('input')?.value.trim() || null

export function FilterField(props: FilterFieldProps) {
  const { kind, label, description, placeholder, value, onChange, context, box } = props
  return (
    <Input.Wrapper label={label} labelElement="div" description={description}>
      <Box ref={box} mt={5}>
        <SearchBox
          kind={kind}
          label={label}
          placeholder={placeholder}
          where={value ?? undefined}
          context={context}
          isBusy={false}
          problem={undefined}
          onChange={(where) => onChange(where ?? null)}
        />
      </Box>
    </Input.Wrapper>
  )
}
