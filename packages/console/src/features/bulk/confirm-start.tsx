import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { StartBulkDocument } from './bulk.generated.ts'
import { countsText, csvOf, devicesText, isDeletion, type Job, writingCount } from './job-labels.ts'

/** To start a job that deletes more devices than this number, the user must type how many devices the job deletes. */
const MAX_WITHOUT_TYPING = 20

/** A job that undoes registrations also deletes devices. */
function deletes(job: Job): boolean {
  const csv = csvOf(job)
  return isDeletion(job.operations) || (csv?.register === true && csv.isUndo === true)
}

export function StartButton({ job }: { job: Job }) {
  const [opened, { open, close }] = useDisclosure()
  const count = writingCount(job)
  const isDeleting = deletes(job)
  return (
    <>
      <Button color={isDeleting ? 'red.9' : undefined} onClick={open} disabled={count === 0}>
        {count === 0 ? 'Nothing to change' : label(isDeleting, count)}
      </Button>
      <Modal opened={opened} onClose={close} title={isDeleting ? 'Delete devices' : 'Start the job'}>
        <StartForm job={job} onClose={close} />
      </Modal>
    </>
  )
}

const label = (isDeleting: boolean, count: number): string =>
  `${isDeleting ? 'Delete' : 'Change'} ${devicesText(count)}`

function StartForm({ job, onClose }: { job: Job; onClose(): void }) {
  const start = useChange(StartBulkDocument, ['BulkJob'])
  // Keep the token from when the dialog opened. If there is a newer preview, the server rejects the start, so the user
  // starts only changes that the dialog described.
  const [{ id, token, count }] = useState({ id: job.id, token: job.token ?? '', count: writingCount(job) })
  const [typed, setTyped] = useState('')
  const { submit, isRunning, error } = useAttempt(async () => {
    await start({ id, token, expected: count })
    onClose()
  })
  const isDeleting = deletes(job)
  const mustType = isDeleting && count > MAX_WITHOUT_TYPING
  const isConfirmed = !mustType || typed.replaceAll(/\D/g, '') === String(count)
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          {countsText(job)}.{' '}
          {isDeleting
            ? 'The devices’ services and attributes are also deleted, and the devices can no longer connect. Their past events stay in the event log. You cannot undo the job.'
            : 'The job applies exactly the changes in the preview. It skips a device if a value or service that the job changes has changed since the preview. It also skips a device that no longer matches the filter or no longer exists.'}
        </Text>
        {mustType ? (
          <TextInput
            label={`To delete ${devicesText(count)}, type the number of devices`}
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            data-autofocus
          />
        ) : null}
        <ErrorNotice error={error} title="The job was not started" />
        <FormButtons
          onCancel={onClose}
          color={isDeleting ? 'red.9' : undefined}
          loading={isRunning}
          disabled={!isConfirmed}
        >
          {label(isDeleting, count)}
        </FormButtons>
      </Stack>
    </form>
  )
}
