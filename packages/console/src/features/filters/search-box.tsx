import { Anchor, Combobox, Group, Input, Text, useCombobox } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { FilterProblem, ListKind } from './filter-problem.ts'
import classes from './search-box.module.css'
import { useCompletions } from './use-completions.ts'
import { type SearchLanguage, useSearchLanguage } from './use-search-language.ts'

interface SearchBoxProps {
  kind: ListKind
  label: string
  placeholder: string
  where: string | undefined
  context: string | undefined
  isBusy: boolean
  problem: FilterProblem | undefined
  onChange(where: string | undefined, options: { replace: boolean }): void
}

const TYPING_DELAY_MS = 120
/** How long rows wait for completions before they load, because rendering both at once would delay the completions. */
const COMPLETIONS_FIRST_MS = 80
/** How long to wait before showing a syntax error, because the user may still be typing. */
const PROBLEM_DELAY_MS = 900

/**
 * Applies the filter as the user types or, while rows are loading, when the rows arrive or the user pauses. Does not
 * apply a filter with a syntax error.
 */
export function SearchBox({ kind, label, placeholder, where, context, isBusy, problem, onChange }: SearchBoxProps) {
  const [isFocused, setFocused] = useState(false)
  const language = useSearchLanguage(isFocused || !isBusy)
  const { typed, setTyped, findChange } = useTypedFilter({ kind, where, language, onChange })
  const [cursor, setCursor] = useState<number>()
  /** The ID of the selected completion, or null. Combobox would keep the ID of a completion that is no longer shown. */
  const [selectedId, setSelectedId] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const options = useRef<HTMLDivElement>(null)
  const completedTo = useRef<number>(undefined)
  const problemId = useId()
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { completions, areLoading } = useCompletions(typed, { kind, cursor, context, language })
  const delay = isBusy ? TYPING_DELAY_MS : areLoading ? COMPLETIONS_FIRST_MS : 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing, arriving results, and the language apply the filter
  useEffect(() => {
    const apply = findChange()
    if (apply === undefined) return
    const timer = setTimeout(apply, delay)
    return () => clearTimeout(timer)
  }, [typed, delay, language])
  const shown = useProblem(typed, kind, { language, problem: where === typed ? problem : undefined })

  const complete = (index: number): void => {
    const { text, from, to } = completions[index]!
    const next = typed.slice(0, from) + text + typed.slice(to)
    setTyped(next)
    const end = from + text.length
    setCursor(end)
    combobox.resetSelectedOption()
    setSelectedId(null)
    completedTo.current = end
  }
  // Place the cursor after the inserted completion, because the browser moves the cursor to the end of the input.
  useLayoutEffect(() => {
    const end = completedTo.current
    if (end === undefined) return
    completedTo.current = undefined
    input.current?.setSelectionRange(end, end)
  })
  const follow = (): void => {
    setCursor(input.current?.selectionStart ?? undefined)
    setSelectedId(options.current?.querySelector('[data-combobox-selected]')?.id ?? null)
  }
  return (
    <Combobox store={combobox} onOptionSubmit={(value) => complete(Number(value))} withinPortal={false}>
      {/* The completions appear below the error. */}
      <Combobox.DropdownTarget>
        <div className={classes.box}>
          <Combobox.EventsTarget aria-activedescendant={selectedId}>
            <Input
              ref={input}
              type="search"
              aria-label={label}
              placeholder={placeholder}
              leftSection={<IconSearch size={14} aria-hidden="true" />}
              classNames={language === undefined ? {} : { input: classes.input! }}
              spellCheck={false}
              autoCapitalize="off"
              value={typed}
              error={shown !== undefined}
              withAria={false}
              aria-invalid={shown !== undefined}
              aria-describedby={shown === undefined ? undefined : problemId}
              onChange={(event) => {
                setTyped(event.currentTarget.value)
                setCursor(event.currentTarget.selectionStart ?? undefined)
                combobox.openDropdown()
                combobox.resetSelectedOption()
                setSelectedId(null)
              }}
              onFocus={() => setFocused(true)}
              onClick={follow}
              onKeyUp={follow}
              onBlur={() => {
                combobox.closeDropdown()
                setCursor(undefined)
                setSelectedId(null)
              }}
            />
          </Combobox.EventsTarget>
          {language === undefined ? null : (
            <language.FilterTokens text={typed} kind={kind} problem={shown} input={input} />
          )}
          {shown === undefined ? null : (
            <Text id={problemId} size="xs" role="status" className={classes.problem}>
              {shown.message}{' '}
              {shown.suggestion === null ? null : (
                <Anchor component="button" type="button" inherit onClick={() => setTyped(shown.suggestion!)}>
                  Use {shown.suggestion}
                </Anchor>
              )}
            </Text>
          )}
        </div>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown hidden={completions.length === 0}>
        <Combobox.Options ref={options} aria-label="Completions">
          {completions.map(({ text, label: shownAs, kind, count }, index) => (
            <Combobox.Option value={String(index)} key={`${kind} ${text}`}>
              <Group justify="space-between" gap="md" wrap="nowrap">
                <span>{shownAs ?? text}</span>
                <Text size="xs" className={classes.detail}>
                  {count === null || count === undefined ? kind : count.toLocaleString()}
                </Text>
              </Group>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

/** Returns the syntax error in the typed filter after the user pauses or, if there is none, the server's error. */
function useProblem(
  typed: string,
  kind: ListKind,
  { language, problem }: { language: SearchLanguage | undefined; problem: FilterProblem | undefined },
): FilterProblem | undefined {
  const [shown, setShown] = useState<{ typed: string; problem: FilterProblem }>()
  useEffect(() => {
    const found = language?.syntaxProblemOf(typed, kind)
    if (found === undefined) return setShown(undefined)
    const timer = setTimeout(() => setShown({ typed, problem: found }), PROBLEM_DELAY_MS)
    return () => clearTimeout(timer)
  }, [typed, kind, language])
  return shown?.typed === typed ? shown.problem : problem
}

function useTypedFilter({
  kind,
  where,
  language,
  onChange,
}: Pick<SearchBoxProps, 'kind' | 'where' | 'onChange'> & { language: SearchLanguage | undefined }) {
  const [typed, setTyped] = useState(where ?? '')
  /** Applied filters that the URL does not contain yet. */
  const pending = useRef<(string | undefined)[]>([])

  const [known, setKnown] = useState(where)
  if (known !== where) {
    setKnown(where)
    if (!pending.current.includes(where)) setTyped(where ?? '')
  }
  useEffect(() => {
    const index = pending.current.lastIndexOf(where)
    pending.current.splice(0, index < 0 ? Number.POSITIVE_INFINITY : index + 1)
  }, [where])
  /** Returns a function that applies the typed filter, or undefined for an applied or invalid filter. */
  const findChange = (): (() => void) | undefined => {
    const before = pending.current.length > 0 ? pending.current.at(-1) : where
    const next = typed.trim() === '' ? undefined : typed
    const isValid = next === undefined || (language !== undefined && language.syntaxProblemOf(next, kind) === undefined)
    if (next === before || !isValid) return undefined
    return () => {
      pending.current.push(next)
      onChange(next, { replace: next !== undefined && before !== undefined })
    }
  }
  return { typed, setTyped, findChange }
}
