import { Alert, Button } from '@mantine/core'
import { LongText } from '../../components/long-text.tsx'

export function ChangedMeanwhile({ value, onUse }: { value: string | undefined; onUse(): void }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      p="xs"
      role="status"
      title={value === undefined ? 'Removed in the meantime' : 'Changed in the meantime to'}
    >
      {value === undefined ? null : <LongText value={value} />}
      <Button size="compact-xs" variant="default" mt={4} onClick={onUse}>
        Discard my edit
      </Button>
    </Alert>
  )
}
