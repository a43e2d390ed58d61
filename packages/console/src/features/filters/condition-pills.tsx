import { Group, Pill } from '@mantine/core'
import { type Chip, showChipValue } from '@muster/filter'
import { type ComparisonName, chipsOf, comparisons, removeChip } from './conditions.ts'

interface ConditionPillsProps {
  where: string | undefined
  context: string | undefined
  onChange(patch: { where?: string | undefined; context?: string | undefined }): void
}

/**
 * Shows the conditions of the filter and the context, each with a button that removes it. A filter with OR is shown
 * only as text.
 */
export function ConditionPills({ where, context, onChange }: ConditionPillsProps) {
  const chips = chipsOf(where)
  // The search box already shows bare words completely.
  const shown = chips.length === 1 && chips[0]?.subject === '' ? [] : chips
  if (shown.length === 0 && context === undefined) return null
  return (
    <Group gap={6} mb="xs" role="group" aria-label="Conditions">
      {shown.map((chip, index) => (
        <Pill
          // biome-ignore lint/suspicious/noArrayIndexKey: a filter may have a condition twice
          key={index}
          size="md"
          withRemoveButton
          removeButtonProps={removeProps(describe(chip))}
          onRemove={() => onChange({ where: removeChip(where, index) })}
        >
          {describe(chip)}
        </Pill>
      ))}
      {context === undefined ? null : (
        <Pill
          size="md"
          withRemoveButton
          removeButtonProps={{ ...removeProps(''), 'aria-label': 'Use base values' }}
          onRemove={() => onChange({ context: undefined })}
        >
          in context {context}
        </Pill>
      )}
    </Group>
  )
}

const removeProps = (what: string) => ({ 'aria-label': `Remove ${what}`, 'aria-hidden': false, tabIndex: 0 })

function describe({ subject, operator, values, isNegated, matchesAll }: Chip): string {
  const name = subject.replace(/^attributes\./, '')
  if (operator === null) return `${isNegated ? 'not ' : ''}${subject === '' ? values.map(showChipValue).join() : name}`
  const comparison = operator === ':' ? `${isNegated ? '!' : ''}${values[0] === '*' ? '*' : ':'}` : operator
  const not = isNegated && operator !== ':' ? 'not: ' : ''
  const label = `${not}${name} ${comparisons[comparison as ComparisonName]}`
  if (comparison.endsWith('*')) return label
  return `${label} ${values.map((value) => showChipValue(value) || '(empty)').join(matchesAll ? ' and ' : ' or ')}`
}
