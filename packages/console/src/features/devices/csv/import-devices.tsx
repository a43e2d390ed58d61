import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Loading } from '../../../components/loading.tsx'
import { ChooseFile } from './choose-file.tsx'
import { ImportPreview } from './import-preview.tsx'
import { ImportProgress } from './import-progress.tsx'
import { useImport } from './use-import.ts'

export function ImportDevices({ onClose }: { onClose(): void }) {
  const { state, read, run, stop, reset } = useImport()
  const isNarrow = useMediaQuery('(max-width: 48em)')
  const isRunning = state.step === 'running'
  return (
    <Modal
      opened
      onClose={onClose}
      title="Import devices from CSV"
      size="xl"
      fullScreen={isNarrow}
      closeOnClickOutside={state.step === 'choose'}
      closeOnEscape={!isRunning}
      withCloseButton={!isRunning}
    >
      {state.step === 'choose' ? <ChooseFile error={state.error} onChoose={read} /> : null}
      {state.step === 'reading' ? (
        <Stack>
          <Loading what={`devices to compare with ${state.name}`} />
          {state.devices === 0 ? null : (
            <Text size="sm" ta="center">
              Devices compared: {state.devices.toLocaleString()} …
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={reset}>
              Cancel
            </Button>
          </Group>
        </Stack>
      ) : null}
      {state.step === 'preview' ? (
        <ImportPreview
          prepared={state.prepared}
          onBack={reset}
          onImport={() => run(state.prepared)}
          onClose={onClose}
        />
      ) : null}
      {state.step === 'running' || state.step === 'ended' ? (
        <ImportProgress state={state} onStop={stop} onAnother={reset} onClose={onClose} />
      ) : null}
    </Modal>
  )
}
