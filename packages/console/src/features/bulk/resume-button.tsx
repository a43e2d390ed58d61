import { Button, Group, Modal, NumberInput, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { ResumeBulkDocument } from './bulk.generated.ts'
import type { Job } from './job-labels.ts'

const MAX_RATE = 10_000

/** Resumes a paused job, at another rate if the user changes it. */
export function ResumeButton({ job }: { job: Job }) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button onClick={open}>Resume</Button>
      <Modal opened={opened} onClose={close} title="Resume the job">
        <ResumeForm job={job} onClose={close} />
      </Modal>
    </>
  )
}

function ResumeForm({ job, onClose }: { job: Job; onClose(): void }) {
  const resume = useChange(ResumeBulkDocument, ['BulkJob'])
  const [rate, setRate] = useState<number | string>(job.rate)
  const { attempt, isRunning, error } = useAttempt(async () => {
    await resume({ id: job.id, rate: Number(rate) })
    onClose()
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void attempt()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <NumberInput
          label="Devices per second"
          description="1 to 10,000. The job continues with your permissions."
          min={1}
          max={MAX_RATE}
          allowDecimal={false}
          required
          value={rate}
          onChange={setRate}
          data-autofocus
        />
        {error === undefined ? null : <ErrorNotice error={error} labels={{ rate: 'Devices per second' }} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning}>
            Resume job
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
