import classes from './state-badge.module.css'
import { Since } from './time.tsx'

interface StateBadgeProps {
  /** `active` or `inactive`. */
  state: string
  /** When the state began. */
  since?: string | null
}

/** Shows the state as a word and a shape, because color alone would not be accessible. */
export function StateBadge({ state, since }: StateBadgeProps) {
  return (
    <span className={classes.state}>
      <span className={classes.dot} data-state={state} aria-hidden="true" />
      <span>{state}</span>
      {since === undefined ? null : <Since value={since} />}
    </span>
  )
}
