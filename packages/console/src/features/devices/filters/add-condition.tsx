import { Button, Popover } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { ConditionFormProps } from './condition-form.tsx'

const ConditionForm = lazy(async () => ({ default: (await import('./condition-form.tsx')).ConditionForm }))

/** Lets the user add a condition to the filter without typing it. */
export function AddCondition(props: Omit<ConditionFormProps, 'onClose'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" withArrow trapFocus shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={14} aria-hidden="true" />}
          onClick={() => setOpen(!isOpen)}
        >
          Add a condition
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense>
          <ConditionForm {...props} onClose={() => setOpen(false)} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
