import {
  Autocomplete,
  Button,
  Group,
  List,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useClient } from 'urql'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { labeledFields, useLabels } from '../../user-settings/labels.ts'
import { SetAttributeOnManyDocument } from './bulk.generated.ts'
import { BulkProgress } from './bulk-progress.tsx'
import { type AttributeChange, type Preview, previewChange } from './preview.ts'
import { readSelected, type SelectedDevices } from './selected-devices.ts'
import { useBulk } from './use-bulk.ts'

interface SetAttributeProps {
  devices: SelectedDevices
  /** The number of selected devices, if known. */
  count: number | undefined
  names: readonly string[]
  onClose(): void
}

/** Sets or removes an attribute on all selected devices, after a preview of the changes. */
export function SetAttribute({ devices, count, names, onClose }: SetAttributeProps) {
  const client = useClient()
  const bulk = useBulk()
  const [previewed, setPreviewed] = useState<{ change: AttributeChange; preview: Preview }>()
  const [read, setRead] = useState<number>()
  const [error, setError] = useState<unknown>()

  const showPreview = async (change: AttributeChange): Promise<void> => {
    setError(undefined)
    setRead(0)
    try {
      const options = { attribute: change, signal: new AbortController().signal, onProgress: setRead }
      const found = await readSelected(client, devices, options)
      setPreviewed({ change, preview: previewChange(found, change) })
    } catch (failure) {
      setError(failure)
    }
    setRead(undefined)
  }
  const apply = ({ change: { name, value, context }, preview }: NonNullable<typeof previewed>): Promise<void> =>
    bulk.run({
      ids: preview.ids,
      async change(ids) {
        const items = ids.map((serviceId) => ({ serviceId, attributes: { [name]: value }, context }))
        const result = await client.mutation(SetAttributeOnManyDocument, { items }).toPromise()
        if (result.error !== undefined) throw result.error
        const results = result.data?.setAttributesMany ?? []
        return results.flatMap(({ serviceId, code, message }) =>
          code === null ? [] : [{ id: serviceId, reason: message ?? code }],
        )
      },
    })

  const isRunning = bulk.state.step === 'running'
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Set an attribute on ${count?.toLocaleString() ?? 'the selected'} devices`}
      closeOnClickOutside={!isRunning}
      closeOnEscape={!isRunning}
      withCloseButton={!isRunning}
    >
      {bulk.state.step !== 'ready' ? (
        <BulkProgress state={bulk.state} verb="changed" onStop={bulk.stop} onClose={onClose} />
      ) : previewed !== undefined ? (
        <PreviewStep
          {...previewed}
          onBack={() => setPreviewed(undefined)}
          onApply={() => apply(previewed)}
          onClose={onClose}
        />
      ) : (
        <Stack gap="sm">
          <ChangeForm names={names} isReading={read !== undefined} onSubmit={showPreview} />
          {read === undefined ? null : <Text size="sm">Devices checked: {read.toLocaleString()} …</Text>}
          {error === undefined ? null : <ErrorNotice error={error} title="The devices could not be loaded" />}
        </Stack>
      )}
    </Modal>
  )
}

interface ChangeFormProps {
  names: readonly string[]
  isReading: boolean
  onSubmit(change: AttributeChange): void
}

function ChangeForm({ names, isReading, onSubmit }: ChangeFormProps) {
  const labels = useLabels()
  const reserved = new Map(labeledFields.map((field) => [labels[field], `$svc.${field}`]))
  const [action, setAction] = useState('set')
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [context, setContext] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const typed = name.trim()
    onSubmit({
      name: reserved.get(typed) ?? typed,
      value: action === 'set' ? value : null,
      context: context.trim() || undefined,
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <SegmentedControl
          value={action}
          onChange={setAction}
          data={[
            { value: 'set', label: 'Set' },
            { value: 'remove', label: 'Remove' },
          ]}
          aria-label="Action"
        />
        <Autocomplete
          label="Attribute"
          required
          data={[...new Set([...reserved.keys(), ...names])]}
          value={name}
          onChange={setName}
          limit={50}
          data-autofocus
        />
        {action === 'set' ? (
          <Textarea
            label="Value"
            autosize
            maxRows={8}
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
        ) : null}
        <TextInput
          label="Context"
          description="Changes the overrides of this context. Leave empty to change base values."
          value={context}
          onChange={(event) => setContext(event.currentTarget.value)}
        />
        <Button type="submit" loading={isReading} disabled={name.trim() === ''}>
          Preview
        </Button>
      </Stack>
    </form>
  )
}

interface PreviewStepProps {
  change: AttributeChange
  preview: Preview
  onBack(): void
  onApply(): void
  onClose(): void
}

const SHOWN_VALUES = 6

function PreviewStep({ change, preview, onBack, onApply, onClose }: PreviewStepProps) {
  const { ids, withoutValue, replaced, unchanged } = preview
  const rest = replaced.slice(SHOWN_VALUES).reduce((sum, { devices }) => sum + devices, 0)
  const where = change.context === undefined ? '' : ` in context ${change.context}`
  const to =
    change.value === null
      ? 'will be removed'
      : change.value === ''
        ? 'will be set to an empty value'
        : `will be set to “${change.value}”`
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <b>{change.name}</b> {to}
        {where}.
      </Text>
      <List size="sm" aria-label="Changes">
        {withoutValue === 0 ? null : <List.Item>{withoutValue.toLocaleString()} currently have no value</List.Item>}
        {replaced.slice(0, SHOWN_VALUES).map(({ value, devices }) => (
          <List.Item key={value} style={{ overflowWrap: 'anywhere' }}>
            {devices.toLocaleString()} currently have “{value.slice(0, 80)}”
          </List.Item>
        ))}
        {rest === 0 ? null : <List.Item>{rest.toLocaleString()} currently have other values</List.Item>}
        {unchanged === 0 ? null : <List.Item>{unchanged.toLocaleString()} will not change</List.Item>}
      </List>
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        {ids.length === 0 ? (
          <Button onClick={onClose}>Nothing to change</Button>
        ) : (
          <Button onClick={onApply}>Change {ids.length.toLocaleString()} devices</Button>
        )}
      </Group>
    </Stack>
  )
}
