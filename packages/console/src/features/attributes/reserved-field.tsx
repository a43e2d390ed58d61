import { Box, Textarea } from '@mantine/core'
import { StaleNote } from '../freshness/stale-note.tsx'
import type { StaleValue } from '../freshness/use-stale-values.ts'
import { ChangedMeanwhile } from './changed-meanwhile.tsx'

interface ReservedFieldProps {
  label: string
  /** Undefined if no context is selected or the attribute has no base value. */
  base: string | undefined
  current: string | undefined
  draft: { text: string; known: string | undefined } | undefined
  /** Undefined if the effective value is not stale. */
  stale: StaleValue | undefined
  onEdit(text: string): void
  onDiscard(): void
  isReadOnly: boolean
}

export function ReservedField(props: ReservedFieldProps) {
  const { label, base, current, draft, stale, onEdit, onDiscard, isReadOnly } = props
  const isChangedMeanwhile = draft !== undefined && draft.known !== current && draft.text !== (current ?? '')
  return (
    <Box>
      <Textarea
        label={label}
        description={
          base === undefined && stale === undefined ? undefined : (
            <>
              {base === undefined ? null : describeBase(base, current)}
              {stale === undefined ? null : <StaleNote stale={stale} />}
            </>
          )
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={draft?.text ?? current ?? ''}
        onChange={({ currentTarget }) => onEdit(currentTarget.value)}
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        readOnly={isReadOnly}
        styles={stale === undefined || draft !== undefined ? {} : { input: { color: 'var(--mantine-color-dimmed)' } }}
      />
      {isChangedMeanwhile ? <ChangedMeanwhile value={current} onUse={onDiscard} /> : null}
    </Box>
  )
}

const SHOWN = 60

function describeBase(base: string, override: string | undefined): string {
  const text = base.length > SHOWN ? `${base.slice(0, SHOWN)}…` : base
  return override === undefined ? `Base value: ${text}` : `Overrides the base value: ${text}`
}
