import { conditionOn, replaceCondition } from '../../filters/conditions.ts'

export interface ChoiceProps {
  where: string | undefined
  onChange(where: string | undefined): void
}

export const ANY = 'any'
export const NONE = 'none'

/** Returns the choice that matches the filter's condition on the subject, or null if no choice matches. */
export function choiceOf(where: string | undefined, subject: string): string | null {
  const condition = conditionOn(where, subject)
  if (condition?.comparison === '*') return ANY
  if (condition?.comparison === '!*') return NONE
  return condition?.comparison === '=' && condition.values.length === 1 ? `=${condition.values[0]}` : null
}

export function withChoice(where: string | undefined, subject: string, choice: string | null): string | undefined {
  if (choice === null) return replaceCondition(where, subject, undefined)
  if (choice === ANY) return replaceCondition(where, subject, { comparison: '*', values: [] })
  if (choice === NONE) return replaceCondition(where, subject, { comparison: '!*', values: [] })
  return replaceCondition(where, subject, { comparison: '=', values: [choice.slice(1)] })
}
