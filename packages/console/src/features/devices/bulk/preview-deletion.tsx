import { Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { JobDialog, JobForm } from './job-form.tsx'
import type { SelectedDevices } from './selected-devices.ts'
import { useCreateJob } from './use-create-job.ts'

export function PreviewDeletion({ devices, onClose }: { devices: SelectedDevices; onClose(): void }) {
  const createJob = useCreateJob(devices)
  const [force, setForce] = useState(false)
  return (
    <JobDialog devices={devices} title="Delete devices" onClose={onClose}>
      <JobForm onClose={onClose} onSubmit={() => createJob('Delete devices', { delete: { force } })}>
        <Text size="sm">
          The preview shows which devices the job would delete. No devices are deleted until you start the job.
        </Text>
        <Switch
          label="Also delete active devices"
          checked={force}
          onChange={(event) => setForce(event.currentTarget.checked)}
        />
      </JobForm>
    </JobDialog>
  )
}
