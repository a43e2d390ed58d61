import { checkFilter, toIndex, tokens } from '@muster/filter'
import { type RefObject, useEffect, useState } from 'react'
import { type FilterProblem, filterKinds, type ListKind } from './filter-problem.ts'
import classes from './search-box.module.css'

interface FilterTokensProps {
  text: string
  kind: ListKind
  problem: FilterProblem | undefined
  input: RefObject<HTMLInputElement | null>
}

/** Shows a colored copy of the filter in front of the transparent text of its input, with errors underlined. */
export function FilterTokens({ text, kind, problem, input }: FilterTokensProps) {
  const [scrolled, setScrolled] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a completion changes the text without an event
  useEffect(() => {
    const element = input.current
    if (element === null) return
    const follow = (): void => setScrolled(element.scrollLeft)
    for (const event of ['scroll', 'input', 'keyup']) element.addEventListener(event, follow)
    follow()
    return () => {
      for (const event of ['scroll', 'input', 'keyup']) element.removeEventListener(event, follow)
    }
  }, [input, text])
  return (
    <div className={classes.tokens} aria-hidden="true">
      <div style={{ transform: `translateX(${-scrolled}px)` }}>{partsOf(text, wrongParts(text, kind, problem))}</div>
    </div>
  )
}

function partsOf(text: string, wrong: readonly Part[]) {
  const isWrong = (from: number): boolean => wrong.some((part) => from >= part.from && from < part.to)
  const parts = []
  let at = 0
  for (const { kind, from, to } of tokens(text)) {
    if (from > at) parts.push(<span key={at}>{text.slice(at, from)}</span>)
    parts.push(
      <span key={from} className={classes[kind]} data-wrong={isWrong(from) || kind === 'error' || undefined}>
        {text.slice(from, to)}
      </span>,
    )
    at = to
  }
  parts.push(<span key={at}>{text.slice(at)}</span>)
  return parts
}

interface Part {
  from: number
  to: number
}

/** Returns the ranges with errors. A column is a position in the text, because an input contains one line. */
function wrongParts(text: string, kind: ListKind, problem: FilterProblem | undefined): Part[] {
  const { problems } = checkFilter(text, { kind: filterKinds[kind] })
  return (problem === undefined ? problems : [...problems, problem]).map(({ column, length }) => ({
    from: toIndex(text, column - 1),
    to: toIndex(text, column - 1 + Math.max(1, length)),
  }))
}
