import { Box, Button, Code, FileButton, List, Stack, Text } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { type DragEvent, useState } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import classes from './choose-file.module.css'

export function ChooseFile({ error, onChoose }: { error: unknown; onChoose(file: File): void }) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    if (file !== undefined) onChoose(file)
  }
  return (
    <Stack gap="sm">
      <ErrorNotice error={error} title="The import could not be prepared" />
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
          You see a preview before anything changes.
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
        File format
      </Text>
      <Code block tabIndex={0}>
        {example}
      </Code>
      <List size="sm" spacing={4}>
        <List.Item>
          The file must be encoded in UTF-8, and commas must separate the columns. The first row must contain the column
          names. Only the column <Code>name</Code> is required.
        </List.Item>
        <List.Item>
          <Code>hardwareId</Code>, <Code>platform</Code>, and <Code>services</Code> are fields of the device. The import
          ignores read-only fields, such as <Code>id</Code>. Any other column is an attribute with that name.
        </List.Item>
        <List.Item>
          A row updates the device with the same hardware ID. If the row has no hardware ID, it updates the device with
          the same name. If there is no such device, the row adds one.
        </List.Item>
        <List.Item>
          An empty cell changes nothing, and <Code>""</Code> sets an attribute to an empty value. Importing never
          deletes devices or attributes.
        </List.Item>
        <List.Item>You can import files that were exported with “All data, for import”.</List.Item>
      </List>
    </Stack>
  )
}
