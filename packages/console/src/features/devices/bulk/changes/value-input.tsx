import { Textarea } from '@mantine/core'

const placeholders =
  '{name}, {id}, {hardwareId}, and any attribute name in braces stand for the device’s values. For a literal brace, write {{.'

export function ValueInput({ value, onChange }: { value: string; onChange(value: string): void }) {
  return (
    <Textarea
      label="Value"
      description={placeholders}
      autosize
      maxRows={8}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
