import { Button, Group, Stack, Textarea } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { errorText } from '../../graphql/describe-error.ts'
import { ChangedMeanwhile } from './changed-meanwhile.tsx'

interface ValueEditorProps {
  label: string
  /** The current value, if any, which may change while the user edits it. */
  value: string | undefined
  initial?: string
  onSave(value: string): Promise<void>
  onClose(): void
}

/** Shows concurrent changes without overwriting the user's input. */
export function ValueEditor({ label, value, initial = '', onSave, onClose }: ValueEditorProps) {
  const [known, setKnown] = useState(value)
  const [text, setText] = useState(value ?? initial)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])

  const {
    attempt: save,
    isRunning,
    error,
  } = useAttempt(async () => {
    await onSave(text)
    onClose()
  })
  const isEdited = text !== (known ?? initial)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
    if (event.key === 'Escape' && !isEdited) onClose()
  }
  const discardEdit = (): void => {
    setKnown(value)
    setText(value ?? initial)
  }
  return (
    <Stack gap={6} miw={220}>
      <Textarea
        ref={field}
        aria-label={label}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
        error={error === undefined ? undefined : errorText(error)}
        autosize
        minRows={1}
        maxRows={20}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        spellCheck={false}
      />
      {isRunning || value === known ? null : <ChangedMeanwhile value={value} onUse={discardEdit} />}
      <Group gap="xs">
        <Button size="compact-sm" loading={isRunning} onClick={save}>
          Save
        </Button>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}
