import { NumberInput, TagsInput, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { RefObject } from 'react'
import type { Permission } from '../../../../graphql/schema-types.generated.ts'
import { describePermissions } from '../../../access/permissions.ts'
import { RestrictionFields } from '../../../access/restriction-fields.tsx'
import { useViewer } from '../../../user-settings/viewer.ts'
import { daysText, Expiry } from '../../expiry.tsx'
import type { KeyValues, Policy } from './key-values.ts'

interface LimitsStepProps {
  form: UseFormReturnType<KeyValues>
  permissions: readonly Permission[]
  policy: Policy | undefined
  box: RefObject<HTMLDivElement | null>
}

export function LimitsStep({ form, permissions, policy, box }: LimitsStepProps) {
  const { isRestricted } = useViewer()
  const maxDays = policy?.maxDays ?? null
  return (
    <>
      <Text size="sm">The key will have these permissions: {describePermissions(permissions)}.</Text>
      {isRestricted ? (
        <Text size="sm">Your role is limited to some devices or attributes. The same limits apply to this key.</Text>
      ) : null}
      <RestrictionFields
        what="key"
        permissions={permissions}
        value={form.values.restriction}
        onChange={(restriction) => form.setFieldValue('restriction', restriction)}
        box={box}
      />
      <TagsInput
        label="Networks"
        description="The key works only from these networks. Leave empty for all networks, unless the key policy requires networks."
        placeholder="192.0.2.0/24"
        acceptValueOnBlur
        splitChars={[',', ' ']}
        {...form.getInputProps('networks')}
      />
      <Expiry canBeNever={maxDays === null} {...form.getInputProps('expiry')} />
      {maxDays === null ? null : (
        <Text size="sm" c="dimmed">
          The key policy allows a lifetime of at most {daysText(maxDays)}.
        </Text>
      )}
      <NumberInput
        label="Share of the rate limit"
        description="The key can use at most this share of the account’s rate limit. A smaller share leaves more of the limit for your other programs."
        suffix="%"
        min={1}
        max={100}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('rateShare')}
      />
    </>
  )
}
