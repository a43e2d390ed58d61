import { Button, Group, Modal, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { describeError } from '../../graphql/describe-error.ts'
import type { Place } from './use-attributes.ts'

interface AddAttributeProps {
  opened: boolean
  onClose(): void
  /** The chosen context, where the value may be set instead of in the base. */
  context: Place
  /** What stands under a name in a place already. */
  presentOf(name: string, place: Place): string | undefined
  onSave(name: string, value: string, place: Place): Promise<void>
}

export function AddAttribute({ opened, onClose, ...rest }: AddAttributeProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add an attribute" size="lg">
      <AddForm onClose={onClose} {...rest} />
    </Modal>
  )
}

interface Fault {
  field: 'name' | 'value'
  text: string
}

/** Made anew each time the dialog opens. */
function AddForm({ onClose, context, presentOf, onSave }: Omit<AddAttributeProps, 'opened'>) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [isInContext, setInContext] = useState(context !== undefined)
  const [isSaving, setSaving] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const place = isInContext ? context : undefined
  const present = presentOf(name, place)

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setSaving(true)
    setFault(undefined)
    try {
      await onSave(name, value, place)
      onClose()
    } catch (failure) {
      setFault(faultOf(failure))
      setSaving(false)
    }
  }
  const errorOf = (field: Fault['field']): string | undefined => (fault?.field === field ? fault.text : undefined)
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {context === undefined ? null : (
          <SegmentedControl
            aria-label="Where it is set"
            data={[
              { value: 'base', label: 'In the base' },
              { value: 'context', label: `In “${context}” alone` },
            ]}
            value={isInContext ? 'context' : 'base'}
            onChange={(chosen) => setInContext(chosen === 'context')}
          />
        )}
        <TextInput
          label="Name"
          description="One level, as site, or a group and a sub-name with a dot between, as net.ssid"
          required
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={errorOf('name')}
          data-autofocus
          spellCheck={false}
        />
        <Textarea
          label="Value"
          description="May have many lines; may be empty"
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          error={errorOf('value')}
          autosize
          minRows={2}
          maxRows={16}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          spellCheck={false}
        />
        {present === undefined ? null : (
          <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
            {name} is there already, as {present === '' ? 'the empty text' : `“${shortened(present)}”`}. Saving replaces
            it.
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isSaving}>
            {present === undefined ? 'Add' : 'Replace'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** The API's messages begin with the argument they are about; most rules are about names. */
function faultOf(failure: unknown): Fault {
  const { what, advice = '' } = describeError(failure)
  return { field: /^value\b/i.test(what) ? 'value' : 'name', text: `${what} ${advice}`.trim() }
}
