import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { useClient } from 'urql'
import { downloadUrl } from '../../components/download.ts'
import { notifyError } from '../../components/error-notice.tsx'
import { EventsDownloadDocument } from './events.generated.ts'
import type { EventFilter } from './events-search.ts'

/** Downloads the events that match the filters, not only those on the page. Without a start date, covers one month. */
export function CsvButton({ filter }: { filter: EventFilter }) {
  const client = useClient()
  const [running, setRunning] = useState(false)
  const run = async (): Promise<void> => {
    setRunning(true)
    const { data, error } = await client.query(EventsDownloadDocument, { ...filter }, { requestPolicy: 'network-only' })
    setRunning(false)
    const url = data?.login?.eventsUrl
    if (url === undefined) return notifyError('The events could not be downloaded', error)
    // Use only the path and the query, because the URL may have a different host name than this page.
    const { pathname, search } = new URL(url)
    downloadUrl('events.csv', `${pathname}${search}`)
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={running} onClick={run}>
      CSV
    </Button>
  )
}
