import { Radio, Stack, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { PermissionChoice } from '../../../access/permission-choice.tsx'
import { describePermissions } from '../../../access/permissions.ts'
import { useViewer } from '../../../user-settings/viewer.ts'
import type { KeyValues } from './key-values.ts'
import { type Purpose, purposes } from './purposes.ts'

export function PurposeStep({ form }: { form: UseFormReturnType<KeyValues> }) {
  const { purpose, permissions } = form.values
  return (
    <>
      <TextInput
        label="Name"
        description="The program that uses the key"
        placeholder="Nightly export"
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group label="What should the key do?" {...form.getInputProps('purpose')}>
        <Stack gap={8} mt={4}>
          {purposes.map((each) => (
            <PurposeRadio key={each.id} purpose={each} />
          ))}
        </Stack>
      </Radio.Group>
      {purpose === 'document' ? (
        <Textarea
          label="GraphQL document"
          description="A document with one query, mutation, or subscription. The server finds the permissions that the document needs, but does not run it."
          placeholder="{ login { devices { total } } }"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          autosize
          minRows={4}
          maxRows={12}
          {...form.getInputProps('document')}
        />
      ) : null}
      {purpose === 'choose' ? (
        <PermissionChoice
          label="The key may"
          value={permissions}
          onChange={(chosen) => form.setFieldValue('permissions', chosen)}
          error={form.errors.permissions}
        />
      ) : null}
    </>
  )
}

function PurposeRadio({ purpose: { id, label, description, permissions = [] } }: { purpose: Purpose }) {
  const { may } = useViewer()
  const missing = permissions.filter((permission) => !may(permission))
  const isPossible = missing.length === 0
  return (
    <Radio
      value={id}
      label={label}
      description={isPossible ? description : `Your role does not allow this: ${describePermissions(missing)}`}
      disabled={!isPossible}
    />
  )
}
