import { Group, Text } from '@mantine/core'
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
    <Group gap={6} wrap="nowrap" component="span">
      <span className={classes.dot} data-state={state} aria-hidden="true" />
      <Text span inherit>
        {state}
      </Text>
      {since === undefined ? null : <Since value={since} />}
    </Group>
  )
}
