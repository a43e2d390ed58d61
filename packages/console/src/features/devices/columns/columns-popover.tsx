import { Button, Popover } from '@mantine/core'
import { IconColumns } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import type { ColumnListProps } from './column-editor.tsx'

const ColumnList = lazy(async () => ({ default: (await import('./column-editor.tsx')).ColumnList }))

export function ColumnPicker(props: ColumnListProps) {
  return (
    <Popover position="bottom-end" withArrow trapFocus shadow="md">
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns size={14} aria-hidden="true" />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense>
          <ColumnList {...props} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
