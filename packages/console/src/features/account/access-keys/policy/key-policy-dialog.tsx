import { Checkbox, Modal, NumberInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { changedFields } from '../../../../components/dialogs/changed-fields.ts'
import { FormButtons } from '../../../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../../components/error-notice.tsx'
import { useChange } from '../../../../graphql/use-change.ts'
import { type KeyPolicyFieldsFragment, SetKeyPolicyDocument } from '../keys.generated.ts'

interface KeyPolicyFormProps {
  policy: KeyPolicyFieldsFragment
  onClose: () => void
}

export function KeyPolicyDialog({ opened, ...form }: KeyPolicyFormProps & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={form.onClose} title="Change the key policy">
      <KeyPolicyForm {...form} />
    </Modal>
  )
}

const labels = { maxDays: 'Maximum key lifetime' }

/** Mounts each time the dialog opens, so the form starts with the current rules. */
function KeyPolicyForm({ policy, onClose }: KeyPolicyFormProps) {
  const change = useChange(SetKeyPolicyDocument, ['KeyPolicy', 'AccessKey'])
  const form = useForm({
    initialValues: {
      maxDays: policy.maxDays ?? ('' as number | string),
      personalKeys: policy.personalKeys,
      requireDigest: policy.requireDigest,
      requireNetworks: policy.requireNetworks,
      enforcedFrom: policy.enforcedFrom === null ? '' : localInput(new Date(policy.enforcedFrom)),
    },
  })
  const { attempt, error } = useAttempt(async () => {
    const { maxDays, enforcedFrom, ...rules } = changedFields(form.getInitialValues(), form.values)
    await change({
      ...rules,
      ...(maxDays !== undefined && { maxDays: maxDays === '' ? null : Number(maxDays) }),
      ...(enforcedFrom !== undefined && {
        enforcedFrom: enforcedFrom === '' ? null : new Date(enforcedFrom).toISOString(),
      }),
    })
    onClose()
  })
  return (
    <form onSubmit={form.onSubmit(attempt)}>
      <Stack>
        <ErrorNotice error={error} title="The policy was not changed" labels={labels} />
        <NumberInput
          label={labels.maxDays}
          description="In days from the key’s creation. Leave empty for no limit."
          min={1}
          allowDecimal={false}
          clampBehavior="none"
          data-autofocus
          {...form.getInputProps('maxDays')}
        />
        <Checkbox
          label="Members can have personal keys"
          {...form.getInputProps('personalKeys', { type: 'checkbox' })}
        />
        <Checkbox
          label="Keys must require a digest of the body"
          {...form.getInputProps('requireDigest', { type: 'checkbox' })}
        />
        <Checkbox
          label="Keys must be limited to networks"
          {...form.getInputProps('requireNetworks', { type: 'checkbox' })}
        />
        <TextInput
          type="datetime-local"
          label="Enforce for existing keys from"
          description="In your time zone. From this time on, the server rejects keys that break a rule. If a key breaks only the digest rule, the server requires a digest instead. Leave empty to accept existing keys that break a rule."
          {...form.getInputProps('enforcedFrom')}
        />
        <FormButtons onCancel={onClose} loading={form.submitting}>
          Save
        </FormButtons>
      </Stack>
    </form>
  )
}

/** Formats a time in the user's time zone for an input of the type `datetime-local`. */
function localInput(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
