import { Button, Group, Modal, Progress, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { FormButtons } from '../../../components/dialogs/form-buttons.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ProgressAnnouncer } from '../../../components/progress-announcer.tsx'
import type { SelectedDevices } from '../bulk/selected-devices.ts'
import { isFiltered } from '../devices-search.ts'
import { type ExportForm, type ExportState, type ShownList, useExport } from './use-export.ts'

interface ExportDevicesProps {
  devices: SelectedDevices
  shown: ShownList
  count: number | undefined
  onClose(): void
}

export function ExportDevices({ devices, shown, count, onClose }: ExportDevicesProps) {
  const [form, setForm] = useState<ExportForm>('shown')
  const { state, run, stop } = useExport(devices, shown)
  const isRunning = state.step === 'running'
  return (
    <Modal
      opened
      onClose={onClose}
      title="Export devices as CSV"
      closeOnClickOutside={!isRunning}
      closeOnEscape={!isRunning}
      withCloseButton={!isRunning}
    >
      <Stack gap="sm">
        <Text size="sm">{describeDevices(devices, count)}</Text>
        {state.step === 'ready' ? (
          <>
            <Radio.Group value={form} onChange={(value) => setForm(value as ExportForm)} label="Content">
              <Stack gap="xs" mt="xs">
                <Radio
                  value="shown"
                  label="Shown columns"
                  description="The list’s columns, for spreadsheets. This file cannot be imported."
                />
                <Radio
                  value="all"
                  label="All data, for import"
                  description="Names, hardware IDs, platforms, services, and the base values of all device attributes. States, service attributes, and overrides in contexts are not included."
                />
              </Stack>
            </Radio.Group>
            {form === 'all' ? (
              <Text size="xs" c="dimmed">
                The export adds an apostrophe before values that a spreadsheet would run as a formula. Importing the
                file removes the apostrophe.
              </Text>
            ) : null}
            {state.isStopped ? (
              <Text size="sm" role="status">
                The export was stopped. No file was saved.
              </Text>
            ) : null}
            <ErrorNotice error={state.error} title="The devices could not be exported" />
            <FormButtons onCancel={onClose} onClick={() => run(form)}>
              Export
            </FormButtons>
          </>
        ) : (
          <>
            <Progress
              value={isRunning ? percent(state.devices, count) : 100}
              animated={isRunning}
              aria-label="Devices exported"
            />
            <Text size="sm">{progressText(state)}</Text>
            <ProgressAnnouncer text={progressText(state)} state={state.step} />
            <Group justify="flex-end">
              {isRunning ? (
                <Button variant="default" onClick={stop}>
                  Stop
                </Button>
              ) : (
                <Button onClick={onClose}>Close</Button>
              )}
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  )
}

function progressText(state: Exclude<ExportState, { step: 'ready' }>): string {
  const devices = state.devices.toLocaleString()
  if (state.step === 'running') return `Devices read: ${devices} …`
  return `${devices} ${state.devices === 1 ? 'device was' : 'devices were'} exported to ${state.name} in your downloads.`
}

function describeDevices({ selected, filter }: SelectedDevices, count: number | undefined): string {
  const number = count?.toLocaleString()
  const which = number === undefined ? 'All' : `The ${number}`
  const noun = count === 1 ? 'device' : 'devices'
  if (selected.kind === 'some' || selected.except.size > 0) return `${which} selected ${noun}.`
  if (isFiltered(filter)) return `${which} ${noun} that ${count === 1 ? 'matches' : 'match'} the filters.`
  return number === undefined ? 'All devices.' : `All ${number} ${noun}.`
}

const percent = (done: number, count: number | undefined): number =>
  count === undefined || count === 0 ? 0 : Math.min(100, (100 * done) / count)
