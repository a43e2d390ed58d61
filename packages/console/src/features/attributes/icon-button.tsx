import { ActionIcon, Tooltip } from '@mantine/core'
import type { IconTrash } from '@tabler/icons-react'

interface IconButtonProps {
  label: string
  Icon: typeof IconTrash
  onClick(): void
}

export const IconButton = ({ label, Icon, onClick }: IconButtonProps) => (
  <Tooltip label={label}>
    <ActionIcon size="sm" aria-label={label} onClick={onClick}>
      <Icon size={16} />
    </ActionIcon>
  </Tooltip>
)
