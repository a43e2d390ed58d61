import { Button, Popover } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { type KeyboardEvent, lazy, Suspense, useState } from 'react'
import type { ConditionFormProps } from './condition-form.tsx'

const ConditionForm = lazy(async () => ({ default: (await import('./condition-form.tsx')).ConditionForm }))

export function AddCondition(props: Omit<ConditionFormProps, 'onClose'>) {
  const [isOpen, setOpen] = useState(false)
  const closeOnEscape = ({ key, target }: KeyboardEvent): void => {
    // While suggestions are open, Escape closes only the suggestions.
    const hasSuggestions = (target as HTMLElement).ariaExpanded === 'true'
    if (key === 'Escape' && !hasSuggestions) setOpen(false)
  }
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      withArrow
      trapFocus
      returnFocus
      closeOnEscape={false}
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={14} aria-hidden="true" />}
          onClick={() => setOpen(!isOpen)}
        >
          Add a condition
        </Button>
      </Popover.Target>
      <Popover.Dropdown onKeyDown={closeOnEscape}>
        <Suspense>
          <ConditionForm {...props} onClose={() => setOpen(false)} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
