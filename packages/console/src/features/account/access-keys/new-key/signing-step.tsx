import { Checkbox, Group, Radio, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Permission } from '../../../../graphql/schema-types.generated.ts'
import { accessInput } from '../../../access/access-values.ts'
import { describePermissions } from '../../../access/permissions.ts'
import { useViewer } from '../../../user-settings/viewer.ts'
import type { KeyValues, Policy } from './key-values.ts'
import { PublicKeyInput } from './public-key-input.tsx'

interface SigningStepProps {
  form: UseFormReturnType<KeyValues>
  permissions: readonly Permission[]
  policy: Policy | undefined
}

export function SigningStep({ form, permissions, policy }: SigningStepProps) {
  const { may } = useViewer()
  const { restriction, networks } = form.values
  const { where, view, attributes } = accessInput(permissions, restriction)
  const isRestricted = where !== null || view !== null || attributes !== null
  const digestRequired = policy?.requireDigest === true
  return (
    <>
      <Text size="sm">
        The key will have these permissions: {describePermissions(permissions)}.{' '}
        {isRestricted ? 'It is limited to some devices or attributes.' : ''}{' '}
        {networks.length > 0 ? `It works only from ${networks.join(', ')}.` : ''}
      </Text>
      <Radio.Group label="The key belongs to" {...form.getInputProps('kind')}>
        <Stack gap={8} mt={4}>
          <Radio
            value="account"
            label="the account"
            disabled={!may('KEY_MANAGE')}
            description={
              may('KEY_MANAGE')
                ? 'For programs. The key remains valid when you leave the account.'
                : 'Only members with the permission KEY_MANAGE, such as admins, can create account keys.'
            }
          />
          <Radio
            value="personal"
            label="me"
            disabled={policy?.personalKeys === false}
            description={
              policy?.personalKeys === false
                ? 'The key policy does not allow personal keys.'
                : 'For your own scripts. The key never allows more than your role, and is deleted when you leave the account.'
            }
          />
        </Stack>
      </Radio.Group>
      <Checkbox
        label="Require a digest of the body"
        description={
          digestRequired
            ? 'The key policy requires a digest.'
            : 'If a request has a body, its signature must cover a digest of the body. Muster’s programs always sign this digest.'
        }
        disabled={digestRequired}
        {...form.getInputProps('requireDigest', { type: 'checkbox' })}
      />
      <Radio.Group label="Signed with" {...form.getInputProps('signing')}>
        <Group mt={4}>
          <Radio value="secret" label="a secret from the server" />
          <Radio value="public" label="my Ed25519 key" />
        </Group>
      </Radio.Group>
      {form.values.signing === 'public' ? <PublicKeyInput {...form.getInputProps('publicKey')} /> : null}
    </>
  )
}
