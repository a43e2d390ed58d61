import { Alert, Button, Group, Modal, Stack, Switch, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { Loading } from '../../../components/loading.tsx'
import { errorText } from '../../../graphql/describe-error.ts'
import { DeleteManyDocument, type SelectedDeviceFragment } from './bulk.generated.ts'
import { BulkProgress } from './bulk-progress.tsx'
import type { Failure } from './run-in-batches.ts'
import { readSelected, type SelectedDevices } from './selected-devices.ts'
import { useBulk } from './use-bulk.ts'

interface DeleteDevicesProps {
  devices: SelectedDevices
  onClose(): void
}

/** Deletes the selected devices; active ones only when the person says so. */
export function DeleteDevices({ devices, onClose }: DeleteDevicesProps) {
  const client = useClient()
  const bulk = useBulk()
  const [found, setFound] = useState<SelectedDeviceFragment[]>()
  const [error, setError] = useState<unknown>()
  const [withActive, setWithActive] = useState(false)
  const [reading] = useState(() => devices)

  useEffect(() => {
    const controller = new AbortController()
    const options = { signal: controller.signal, onProgress: () => {} }
    readSelected(client, reading, options)
      .then(setFound)
      .catch((failure) => controller.signal.aborted || setError(failure))
    return () => controller.abort()
  }, [client, reading])

  const change = async (ids: readonly string[]): Promise<Failure[]> => {
    const remove = (some: readonly string[]) =>
      client.mutation(DeleteManyDocument, { ids: [...some], force: withActive }).toPromise()
    const { error: refusal } = await remove(ids)
    if (refusal === undefined) return []
    if (refusal.networkError !== undefined || ids.length === 1)
      return ids.map((id) => ({ id, reason: errorText(refusal) }))
    // All or none of a batch: one that came alive or is gone holds up the others, so each is tried by itself.
    const failed: Failure[] = []
    for (const id of ids) {
      const { error: own } = await remove([id])
      if (own !== undefined) failed.push({ id, reason: errorText(own) })
    }
    return failed
  }
  const active = found?.filter(({ state }) => state === 'active').length ?? 0
  const ids = (found ?? []).filter(({ state }) => withActive || state !== 'active').map(({ id }) => id)
  const isRunning = bulk.state.step === 'running'
  return (
    <Modal
      opened
      onClose={onClose}
      title="Delete devices"
      closeOnEscape={!isRunning}
      closeOnClickOutside={!isRunning}
      withCloseButton={!isRunning}
    >
      {bulk.state.step !== 'ready' ? (
        <BulkProgress state={bulk.state} verb="deleted" onStop={bulk.stop} onClose={onClose} />
      ) : error !== undefined ? (
        <ErrorNotice error={error} title="The devices could not be looked at" />
      ) : found === undefined ? (
        <Loading what="selected devices" />
      ) : (
        <Stack gap="sm">
          <Text size="sm">
            Their services and attributes go with them, and they cannot sign on any more. Events of the past stay in the
            log.
          </Text>
          {active === 0 ? null : (
            <Alert color="yellow">
              <Switch
                checked={withActive}
                onChange={(event) => setWithActive(event.currentTarget.checked)}
                label={`Delete also the ${active.toLocaleString()} that are active now`}
              />
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Keep them
            </Button>
            <Button color="red" disabled={ids.length === 0} onClick={() => bulk.run({ ids, change })}>
              Delete {ids.length.toLocaleString()} devices
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
