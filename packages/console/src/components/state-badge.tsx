import classes from './state-badge.module.css'
import { Since } from './time.tsx'

interface StateBadgeProps {
  /** `active` or `inactive`, as returned by the API. */
  state: string
  /** When the state began. The badge shows the time since then. */
  since?: string | null
}

/** Shows the state with a word and a shape, not with color alone. */
export function StateBadge({ state, since }: StateBadgeProps) {
  return (
    <span className={classes.state}>
      <span className={classes.dot} data-state={state} aria-hidden="true" />
      <span>{state}</span>
      {since === undefined ? null : <Since value={since} />}
    </span>
  )
}
