import { Modal, Stack, Text } from '@mantine/core'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { Granted } from './permission-list.tsx'
import { QuestionForm } from './question-form.tsx'
import { type Subject, useSimulation } from './use-simulation.ts'
import { Answers } from './yes-no-answers.tsx'

interface SimulationDialogProps {
  title: string
  subject: Subject
  onClose(): void
}

const labels = {
  address: 'Address',
  attribute: 'Attribute',
  deviceId: 'Device',
  document: 'GraphQL document',
}

export function SimulationDialog({ title, subject, onClose }: SimulationDialogProps) {
  const { simulated, error, isLoading, asked, ask } = useSimulation(subject)
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <Stack>
        <Text size="sm" c="dimmed">
          The server only checks what is allowed now. It runs no document and changes nothing.
        </Text>
        {simulated === undefined ? (
          error === undefined && <Loading what="permissions" />
        ) : (
          <Granted simulation={simulated.simulation} />
        )}
        <QuestionForm isOfKey={'key' in subject} isLoading={isLoading} onAsk={ask} />
        <ErrorNotice error={error} title="The check failed" labels={labels} />
        <div role="status">
          {error !== undefined || isLoading || simulated === undefined ? null : (
            <Answers simulated={simulated} asked={asked} />
          )}
        </div>
      </Stack>
    </Modal>
  )
}
