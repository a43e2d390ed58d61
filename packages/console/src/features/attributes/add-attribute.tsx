import { Modal, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { describeError } from '../../graphql/describe-error.ts'
import type { Context } from './use-attributes.ts'

interface AddAttributeProps {
  opened: boolean
  onClose(): void
  context: Context
  currentValueOf(name: string, context: Context): string | undefined
  onSave(name: string, value: string, context: Context): Promise<void>
}

export function AddAttribute({ opened, onClose, ...rest }: AddAttributeProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add an attribute" size="lg">
      <AddForm onClose={onClose} {...rest} />
    </Modal>
  )
}

interface FieldError {
  field: 'name' | 'value'
  text: string
}

/** Mounts each time the dialog opens, so the form starts empty. */
function AddForm({ onClose, context, currentValueOf, onSave }: Omit<AddAttributeProps, 'opened'>) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [isInContext, setInContext] = useState(context !== undefined)
  const [isSaving, setSaving] = useState(false)
  const [fieldError, setFieldError] = useState<FieldError>()
  const target = isInContext ? context : undefined
  const current = currentValueOf(name, target)

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    setSaving(true)
    setFieldError(undefined)
    try {
      await onSave(name, value, target)
      onClose()
    } catch (failure) {
      const found = fieldErrorOf(failure)
      setFieldError(found)
      setSaving(false)
      form.querySelector<HTMLElement>(`[name=${found.field}]`)?.focus()
    }
  }
  const errorOf = (field: FieldError['field']): string | undefined =>
    fieldError?.field === field ? fieldError.text : undefined
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {context === undefined ? null : (
          <SegmentedControl
            aria-label="Set in"
            data={[
              { value: 'base', label: 'Base value' },
              { value: 'context', label: `Only in “${context}”` },
            ]}
            value={isInContext ? 'context' : 'base'}
            onChange={(chosen) => setInContext(chosen === 'context')}
          />
        )}
        <TextInput
          label="Name"
          name="name"
          description="A name such as site, or a group and a sub-name separated by a dot, such as net.ssid"
          required
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={errorOf('name')}
          data-autofocus
          spellCheck={false}
        />
        <Textarea
          label="Value"
          name="value"
          description="Can be empty or contain several lines"
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          error={errorOf('value')}
          autosize
          minRows={2}
          maxRows={16}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          spellCheck={false}
        />
        {current === undefined ? null : (
          <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
            {name} already has {current === '' ? 'an empty value' : `the value “${shortened(current)}”`}. Saving
            replaces it.
          </Text>
        )}
        <FormButtons onCancel={onClose} loading={isSaving}>
          {current === undefined ? 'Add' : 'Replace'}
        </FormButtons>
      </Stack>
    </form>
  )
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** Messages about values start with "value". The name field shows all other messages. */
function fieldErrorOf(failure: unknown): FieldError {
  const { what, advice = '' } = describeError(failure, { name: 'Name', value: 'Value' })
  return { field: /^value\b/i.test(what) ? 'value' : 'name', text: `${what} ${advice}`.trim() }
}
