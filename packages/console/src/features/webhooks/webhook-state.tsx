import { Badge, Group } from '@mantine/core'
import { IconCircleCheck, IconCircleOff, IconPlayerPause } from '@tabler/icons-react'
import { Since } from '../../components/time.tsx'

interface WebhookStateProps {
  webhook: { enabled: boolean; paused: string | null }
  since?: string | undefined
}

export function WebhookState({ webhook: { enabled, paused }, since }: WebhookStateProps) {
  const [color, Icon, word] = !enabled
    ? (['gray', IconCircleOff, 'disabled'] as const)
    : paused === null
      ? (['green', IconCircleCheck, 'enabled'] as const)
      : (['orange', IconPlayerPause, 'paused'] as const)
  return (
    <Group gap={6} wrap="nowrap">
      <Badge color={color} style={{ flexShrink: 0 }} leftSection={<Icon size={12} aria-hidden="true" />}>
        {word}
      </Badge>
      {since === undefined ? null : <Since value={since} />}
    </Group>
  )
}
