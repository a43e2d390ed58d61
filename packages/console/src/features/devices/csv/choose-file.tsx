import { Box, Button, Code, FileButton, List, Stack, Text } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { type DragEvent, useState } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import classes from './choose-file.module.css'

interface ChooseFileProps {
  error: unknown
  onChoose(file: File): void
}

/** Takes a file, chosen or dropped, and says what it must look like. */
export function ChooseFile({ error, onChoose }: ChooseFileProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    if (file !== undefined) onChoose(file)
  }
  return (
    <Stack gap="sm">
      {error === undefined ? null : <ErrorNotice error={error} title="The file could not be read" />}
      <Box
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <IconFileTypeCsv size={32} aria-hidden="true" />
        <Text size="sm">Drop a CSV file here, or</Text>
        <FileButton accept=".csv,text/csv,text/plain" onChange={(file) => file !== null && onChoose(file)}>
          {(props) => (
            <Button {...props} data-autofocus>
              Choose a file
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          You see what would change before anything is written.
        </Text>
      </Box>
      <Format />
    </Stack>
  )
}

const example = `name,hardwareId,platform,services,site,$svc.categoryA
gateway-1,A0-17,Debian 12,ssh:22;web=http:8080,oslo,Northwind
sensor-7,,,,bergen,`

function Format() {
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        What the file looks like
      </Text>
      <Code block tabIndex={0}>
        {example}
      </Code>
      <List size="sm" spacing={4}>
        <List.Item>
          UTF-8, with commas. The first row names the columns; <Code>name</Code> is the one it needs.
        </List.Item>
        <List.Item>
          <Code>hardwareId</Code>, <Code>platform</Code> and <Code>services</Code> are the device's own; any other
          column is an attribute by its name.
        </List.Item>
        <List.Item>
          A row means the device with its hardware id, or with its name where the row has none. Where there is none, it
          is added.
        </List.Item>
        <List.Item>
          An empty cell changes nothing, <Code>""</Code> is the empty text. What the file does not name stays, and
          nothing is deleted.
        </List.Item>
        <List.Item>An export of “Everything, to import again” is such a file.</List.Item>
      </List>
    </Stack>
  )
}
