import { Alert, Button } from '@mantine/core'
import { LongText } from '../../components/long-text.tsx'

interface ChangedMeanwhileProps {
  value: string | undefined
  onTake(): void
}

/** Somebody else wrote while a value was being edited. */
export function ChangedMeanwhile({ value, onTake }: ChangedMeanwhileProps) {
  return (
    <Alert
      color="yellow"
      variant="light"
      p="xs"
      role="status"
      title={value === undefined ? 'Removed meanwhile' : 'Changed meanwhile to'}
    >
      {value === undefined ? null : <LongText value={value} />}
      <Button size="compact-xs" variant="default" mt={4} onClick={onTake}>
        Take this instead of mine
      </Button>
    </Alert>
  )
}
