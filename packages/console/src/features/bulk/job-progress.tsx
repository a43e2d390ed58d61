import { Progress, Text } from '@mantine/core'
import type { BulkJobFieldsFragment } from './bulk.generated.ts'
import { countsText } from './job-labels.ts'
import { isBusy, stateWord } from './job-state.tsx'

export function JobProgressBar({ job: { name, state, progress } }: { job: BulkJobFieldsFragment }) {
  return (
    <Progress.Root size="lg" miw={80}>
      <Progress.Section value={percentOf(progress)} animated={isBusy(state)} aria-label={`Progress of ${name}`} />
    </Progress.Root>
  )
}

export const hasProgress = ({ started, state }: BulkJobFieldsFragment): boolean =>
  started !== null || state === 'PREVIEWING'

export function JobProgress({ job }: { job: BulkJobFieldsFragment }) {
  return (
    <section aria-label="Progress">
      <JobProgressBar job={job} />
      <Text size="sm" mt={4}>
        {percentOf(job.progress)}% · {countsText(job)}
      </Text>
    </section>
  )
}

export function progressText(job: BulkJobFieldsFragment): string {
  const percent = hasProgress(job) ? `, ${percentOf(job.progress)}%` : ''
  return `${stateWord(job.state)}${percent}: ${countsText(job)}`
}

const percentOf = (progress: number): number => Math.floor(progress * 100)
