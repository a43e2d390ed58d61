import classes from './state-badge.module.css'
import { Since } from './time.tsx'

interface StateBadgeProps {
  /** `active` or `inactive`, as the API gives it. */
  state: string
  /** Since when; shows how long. */
  since?: string | null
}

/** Says the state by word and shape, not by colour alone. */
export function StateBadge({ state, since }: StateBadgeProps) {
  return (
    <span className={classes.state}>
      <span className={classes.dot} data-state={state} aria-hidden="true" />
      <span>{state}</span>
      {since === undefined ? null : <Since value={since} />}
    </span>
  )
}
