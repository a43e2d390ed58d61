import { Group, Pill } from '@mantine/core'
import { type Chip, showChipValue } from '@muster/filter'
import { useQuery } from 'urql'
import { chipsOf, comparisonOf, comparisons, isPresence, nameAmongFields, removeChip } from './conditions.ts'
import { ViewNamesDocument } from './filters.generated.ts'

interface ConditionPillsProps {
  where: string | undefined
  context: string | undefined
  onChange(patch: { where?: string | undefined; context?: string | undefined }): void
}

/**
 * Shows one pill per condition and one for the context. Shows no conditions if pills cannot express the filter, for
 * example if OR joins the conditions. Only the search box shows such a filter.
 */
export function ConditionPills({ where, context, onChange }: ConditionPillsProps) {
  const chips = chipsOf(where)
  // Omit the pill of a filter that is a single word, because the search box already shows the word.
  const shown = chips.length === 1 && chips[0]?.subject === '' ? [] : chips
  const nameOfView = useViewNames(shown)
  if (shown.length === 0 && context === undefined) return null
  return (
    <Group gap={6} mb="xs" role="group" aria-label="Conditions">
      {shown.map((chip, index) => (
        <Pill
          // biome-ignore lint/suspicious/noArrayIndexKey: a filter can contain the same condition twice
          key={index}
          size="md"
          withRemoveButton
          removeButtonProps={removeProps(describe(chip, nameOfView))}
          onRemove={() => onChange({ where: removeChip(where, index) })}
        >
          {describe(chip, nameOfView)}
        </Pill>
      ))}
      {context === undefined ? null : (
        <Pill
          size="md"
          withRemoveButton
          removeButtonProps={removeProps(`context ${context}`)}
          onRemove={() => onChange({ context: undefined })}
        >
          in context {context}
        </Pill>
      )}
    </Group>
  )
}

const removeProps = (what: string) => ({ 'aria-label': `Remove ${what}`, 'aria-hidden': false, tabIndex: 0 })

function useViewNames(chips: readonly Chip[]): (id: string) => string | undefined {
  const hasView = chips.some(({ subject }) => viewCall.test(subject))
  const [{ data }] = useQuery({ query: ViewNamesDocument, pause: !hasView })
  return (id) => data?.login?.views.find((view) => view.id === id)?.name
}

const viewCall = /^view\("?([^")]*)"?\)$/

function describe(chip: Chip, nameOfView: (id: string) => string | undefined): string {
  const { subject, operator, values, isNegated, matchesAll } = chip
  const view = nameOfView(viewCall.exec(subject)?.[1] ?? '')
  const name =
    view === undefined
      ? subject.replace(/^attributes\.(.*)$/s, (_, name: string) => nameAmongFields(name))
      : `in view ${view}`
  const comparison = comparisonOf(chip)
  if (comparison === undefined)
    return `${isNegated ? 'not ' : ''}${subject === '' ? values.map(showChipValue).join() : name}`
  const not = isNegated && operator !== ':' ? 'not: ' : ''
  const label = `${not}${name} ${comparisons[comparison]}`
  if (isPresence(comparison)) return label
  return `${label} ${values.map((value) => showChipValue(value) || '(empty)').join(matchesAll ? ' and ' : ' or ')}`
}
