import { Progress, Text, VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { BulkJobFieldsFragment } from './bulk.generated.ts'
import { countsText } from './job-labels.ts'
import { isBusy, stateWord } from './job-state.tsx'

/** Screen readers announce the progress at most once in this time. They announce a new state immediately. */
const ANNOUNCE_MS = 10_000

export function JobProgressBar({ job: { name, state, progress } }: { job: BulkJobFieldsFragment }) {
  const percent = Math.floor(progress * 100)
  return (
    <Progress.Root size="lg" miw={80}>
      <Progress.Section value={percent} animated={isBusy(state)} aria-label={`Progress of ${name}`} />
    </Progress.Root>
  )
}

/** Shows a job's progress, and announces it to screen readers. */
export function JobProgress({ job }: { job: BulkJobFieldsFragment }) {
  return (
    <section aria-label="Progress">
      <JobProgressBar job={job} />
      <Text size="sm" mt={4}>
        {Math.floor(job.progress * 100)}% · {countsText(job)}
      </Text>
      <VisuallyHidden role="status" aria-live="polite">
        {useAnnouncement(job)}
      </VisuallyHidden>
    </section>
  )
}

function useAnnouncement(job: BulkJobFieldsFragment): string {
  const text = `${stateWord(job.state)}, ${Math.floor(job.progress * 100)}%: ${countsText(job)}`
  const [announced, setAnnounced] = useState(text)
  const last = useRef({ state: job.state, at: 0 })
  useEffect(() => {
    const announce = (): void => {
      last.current = { state: job.state, at: Date.now() }
      setAnnounced(text)
    }
    const wait = job.state === last.current.state ? last.current.at + ANNOUNCE_MS - Date.now() : 0
    const timer = setTimeout(announce, Math.max(0, wait))
    return () => clearTimeout(timer)
  }, [job.state, text])
  return announced
}
