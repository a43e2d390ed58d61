import { Button, Modal, NumberInput, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { ResumeBulkDocument } from './bulk.generated.ts'
import type { Job } from './job-labels.ts'

const MAX_RATE = 10_000

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
  const { submit, isRunning, error } = useAttempt(async () => {
    await resume({ id: job.id, rate: Number(rate) })
    onClose()
  })
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
        <ErrorNotice error={error} labels={{ rate: 'Devices per second' }} />
        <FormButtons onCancel={onClose} loading={isRunning}>
          Resume job
        </FormButtons>
      </Stack>
    </form>
  )
}
