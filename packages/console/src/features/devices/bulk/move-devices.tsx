import { Alert, Modal, Select, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useQuery } from 'urql'
import { FormButtons } from '../../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { useChange } from '../../../graphql/use-change.ts'
import { devicesText } from '../../bulk/job-labels.ts'
import { accountLabel } from '../../user-settings/account-label.ts'
import { useViewer } from '../../user-settings/viewer.ts'
import { accountsToMoveTo } from './accounts-to-move-to.ts'
import { DevicesToMoveDocument, TransferDevicesDocument } from './bulk.generated.ts'
import type { SelectedDevices } from './selected-devices.ts'

interface MoveDevicesProps {
  devices: SelectedDevices
  count: number
  onMoved(): void
  onClose(): void
}

/** The API moves at most this many devices per request. */
const MAX_DEVICES = 1_000

const labels = { hardwareId: 'Hardware ID' }

export function MoveDevices({ devices, count, onMoved, onClose }: MoveDevicesProps) {
  const isTooMany = count > MAX_DEVICES
  const others = accountsToMoveTo(useViewer())
  const [chosen, setChosen] = useState<string | null>(others.length === 1 ? others[0]!.account.id : null)
  const { ids, loadError } = useIds(devices, isTooMany)
  const move = useChange(TransferDevicesDocument)
  const {
    submit,
    isRunning,
    error = loadError,
  } = useAttempt(async () => {
    const { transferDevices } = await move({ account: chosen ?? '', ids: ids ?? [] })
    notifications.show({ message: `Moved ${devicesText(transferDevices)}` })
    onMoved()
  })
  return (
    <Modal opened onClose={onClose} title="Move devices to another account">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">
            The devices keep their IDs, secrets, services, and attributes. Their past events stay in this account.
            Connected devices must reconnect.
          </Text>
          <Select
            label="Account"
            required
            allowDeselect={false}
            data={others.map(({ account, role }) => ({
              value: account.id,
              label: `${accountLabel(account)} (${role.name})`,
            }))}
            value={chosen}
            onChange={setChosen}
          />
          {isTooMany ? (
            <Alert color="red" variant="light" role="alert">
              <Text size="sm">
                You can move at most {MAX_DEVICES.toLocaleString()} devices at a time. Select fewer devices.
              </Text>
            </Alert>
          ) : null}
          <ErrorNotice error={error} title="No device was moved" labels={labels} />
          <FormButtons onCancel={onClose} loading={isRunning} disabled={chosen === null || ids === undefined}>
            Move {devicesText(ids?.length ?? count)}
          </FormButtons>
        </Stack>
      </form>
    </Modal>
  )
}

/** The IDs are undefined while they are loading, if loading fails, or if there are too many devices. */
function useIds({ selected, filter }: SelectedDevices, isTooMany: boolean): { ids?: string[]; loadError?: unknown } {
  const isAll = selected.kind === 'all'
  const [{ data, error: loadError }] = useQuery({
    query: DevicesToMoveDocument,
    variables: filter,
    pause: !isAll || isTooMany,
    requestPolicy: 'network-only',
  })
  if (isTooMany) return {}
  if (!isAll) return { ids: [...selected.ids] }
  const items = data?.login?.devices.items
  if (items === undefined) return { loadError }
  return { ids: items.map(({ id }) => id).filter((id) => !selected.except.has(id)) }
}
