import { Textarea } from '@mantine/core'

const placeholders =
  'The server replaces {name}, {id}, {hardwareId}, {platform}, and any attribute name in braces with the device’s value. For a literal opening brace, write two opening braces.'

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
