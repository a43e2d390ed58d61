import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { StartBulkDocument } from './bulk.generated.ts'
import { countsText, csvOf, devicesText, isDeletion, type Job, writingCount } from './job-labels.ts'

/** To start a job that can delete devices and affects more devices than this, the user must type their number. */
const MAX_WITHOUT_TYPING = 20

type Verb = 'Change' | 'Delete' | 'Delete or change'

/** The undo of an import deletes registered devices and changes others. The job's counts do not separate them. */
function verbOf(job: Job): Verb {
  const csv = csvOf(job)
  if (isDeletion(job.operations)) return 'Delete'
  return csv?.register === true && csv.isUndo === true ? 'Delete or change' : 'Change'
}

export function StartButton({ job }: { job: Job }) {
  const [opened, { open, close }] = useDisclosure()
  const count = writingCount(job)
  const verb = verbOf(job)
  const isDeleting = verb !== 'Change'
  return (
    <>
      <Button color={isDeleting ? 'red.9' : undefined} onClick={open} disabled={count === 0}>
        {count === 0 ? 'Nothing to change' : `${verb} ${devicesText(count)}`}
      </Button>
      <Modal opened={opened} onClose={close} title={isDeleting ? `${verb} devices` : 'Start the job'}>
        <StartForm job={job} onClose={close} />
      </Modal>
    </>
  )
}

const deletionText =
  'The services and attributes of deleted devices are also deleted, and these devices can no longer connect. Their past events stay in the event log. You cannot undo the job.'

const descriptions: Record<Verb, string> = {
  Change:
    'The job applies exactly the changes in the preview. It skips a device if a value or service that the job changes has changed since the preview. It also skips a device that no longer matches the filter or no longer exists.',
  Delete: deletionText,
  'Delete or change': `The job deletes the devices that the undone job registered, and reverts changes to other devices. ${deletionText}`,
}

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
  const verb = verbOf(job)
  const isDeleting = verb !== 'Change'
  const mustType = isDeleting && count > MAX_WITHOUT_TYPING
  const isConfirmed = !mustType || typed.replaceAll(/\D/g, '') === String(count)
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          {countsText(job)}. {descriptions[verb]}
        </Text>
        {mustType ? (
          <TextInput
            label={`To ${verb.toLowerCase()} ${devicesText(count)}, type the number of devices`}
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
          {verb} {devicesText(count)}
        </FormButtons>
      </Stack>
    </form>
  )
}
