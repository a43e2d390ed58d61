import { Box, Textarea } from '@mantine/core'
import { ChangedMeanwhile } from './changed-meanwhile.tsx'

interface ReservedFieldProps {
  label: string
  /** In a context: the value that shows where nothing overrides it. */
  base: string | undefined
  present: string | undefined
  /** What the person has written and not saved. */
  draft: { text: string; known: string | undefined } | undefined
  onWrite(text: string): void
  onTakePresent(): void
}

export function ReservedField({ label, base, present, draft, onWrite, onTakePresent }: ReservedFieldProps) {
  const isChangedMeanwhile = draft !== undefined && draft.known !== present && draft.text !== (present ?? '')
  return (
    <Box>
      <Textarea
        label={label}
        description={base === undefined ? undefined : describeBase(base, present)}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={draft?.text ?? present ?? ''}
        onChange={({ currentTarget }) => onWrite(currentTarget.value)}
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
      />
      {isChangedMeanwhile ? <ChangedMeanwhile value={present} onTake={onTakePresent} /> : null}
    </Box>
  )
}

const SHOWN = 60

/** The base value, and whether it is the one in force. */
function describeBase(base: string, override: string | undefined): string {
  const text = base.length > SHOWN ? `${base.slice(0, SHOWN)}…` : base
  return override === undefined ? `Base in force: ${text}` : `Overrides the base: ${text}`
}
