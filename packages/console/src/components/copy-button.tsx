import { ActionIcon, Button, CopyButton as MantineCopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

interface CopyButtonProps {
  value: string
  what: string
  /** Whether to show a labeled button instead of only an icon. */
  wide?: boolean
}

export function CopyButton({ value, what, wide = false }: CopyButtonProps) {
  return (
    <MantineCopyButton value={value} timeout={2000}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={16} /> : <IconCopy size={16} />
        const label = copied ? 'Copied' : `Copy ${what}`
        if (wide)
          return (
            <Button variant="default" leftSection={icon} onClick={copy}>
              {label}
            </Button>
          )
        return (
          <Tooltip label={label}>
            <ActionIcon aria-label={label} onClick={copy} size="sm">
              {icon}
            </ActionIcon>
          </Tooltip>
        )
      }}
    </MantineCopyButton>
  )
}
