import { Alert, Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core'
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

/** To delete more devices than this, the user must type their number. */
const MAX_WITHOUT_TYPING = 20

/**
 * Deletes the selected devices. Deletes active devices only if the user selects that option. Deletes many devices only
 * after the user types their number.
 */
export function DeleteDevices({ devices, onClose }: DeleteDevicesProps) {
  const client = useClient()
  const bulk = useBulk()
  const [found, setFound] = useState<SelectedDeviceFragment[]>()
  const [error, setError] = useState<unknown>()
  const [withActive, setWithActive] = useState(false)
  const [typed, setTyped] = useState('')
  const [initialDevices] = useState(() => devices)

  useEffect(() => {
    const controller = new AbortController()
    const options = { signal: controller.signal, onProgress: () => {} }
    readSelected(client, initialDevices, options)
      .then(setFound)
      .catch((failure) => controller.signal.aborted || setError(failure))
    return () => controller.abort()
  }, [client, initialDevices])

  const change = async (ids: readonly string[]): Promise<Failure[]> => {
    const remove = (some: readonly string[]) =>
      client.mutation(DeleteManyDocument, { ids: [...some], force: withActive }).toPromise()
    const { error: batchError } = await remove(ids)
    if (batchError === undefined) return []
    if (batchError.networkError !== undefined || ids.length === 1)
      return ids.map((id) => ({ id, reason: errorText(batchError) }))
    // Deletes the devices one by one, because a batch is atomic and fails if one of its devices became active or was
    // deleted.
    const failed: Failure[] = []
    for (const id of ids) {
      const { error: deviceError } = await remove([id])
      if (deviceError !== undefined) failed.push({ id, reason: errorText(deviceError) })
    }
    return failed
  }
  const active = found?.filter(({ state }) => state === 'active').length ?? 0
  const ids = (found ?? []).filter(({ state }) => withActive || state !== 'active').map(({ id }) => id)
  const isRunning = bulk.state.step === 'running'
  const isMany = ids.length > MAX_WITHOUT_TYPING
  const isConfirmed = !isMany || typed.replaceAll(/\D/g, '') === String(ids.length)
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
        <ErrorNotice error={error} title="The devices could not be loaded" />
      ) : found === undefined ? (
        <Loading what="selected devices" />
      ) : (
        <Stack gap="sm">
          <Text size="sm">
            Their services and attributes are also deleted, and the devices can no longer connect. Their past events
            stay in the event log.
          </Text>
          {active === 0 ? null : (
            <Alert color="yellow">
              <Switch
                checked={withActive}
                onChange={(event) => setWithActive(event.currentTarget.checked)}
                label={`Also delete the ${active.toLocaleString()} active ${active === 1 ? 'device' : 'devices'}`}
              />
            </Alert>
          )}
          {isMany ? (
            <TextInput
              label={`To delete ${ids.length.toLocaleString()} devices, type their number`}
              inputMode="numeric"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          ) : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button color="red" disabled={ids.length === 0 || !isConfirmed} onClick={() => bulk.run({ ids, change })}>
              Delete {ids.length.toLocaleString()} devices
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
