import { Alert, Group, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldMinus } from '@tabler/icons-react'
import { ConfirmButton } from '../../../../components/dialogs/confirm-button.tsx'
import { useChange } from '../../../../graphql/use-change.ts'
import { describePermissions } from '../../../access/permissions.ts'
import type { AccessKeyDetails } from '../key-facts.tsx'
import { KeepPermissionsDocument } from '../keys.generated.ts'
import { useMayChange } from '../use-may-change.ts'

export function UnusedPermissions({ accessKey, days }: { accessKey: AccessKeyDetails; days: number }) {
  const { key, permissions, usage, unused } = accessKey
  const { canChange } = useMayChange(accessKey)
  const keep = useChange(KeepPermissionsDocument, ['AccessKey'])
  const used = usage.filter(({ uses }) => uses > 0).map(({ permission }) => permission)
  const kept = permissions.filter((permission) => used.includes(permission))
  const removed = permissions.filter((permission) => !used.includes(permission))
  // Show nothing for a new key that has not been used, because the key may still need its permissions.
  if (kept.length === 0 && unused === null) return null
  if (removed.length === 0)
    return permissions.length === 0 ? null : (
      <Alert color="teal" mb="sm" icon={<IconShieldCheck />}>
        <Text size="sm">The key used all its permissions in the last {days} days.</Text>
      </Alert>
    )
  return (
    <Alert color="yellow" mb="sm" icon={<IconShieldMinus />} title="Permissions that the key did not use">
      <Text size="sm" mb="xs">
        In the last {days} days, the key did not use these permissions: {describePermissions(removed)}.{' '}
        {unused === null ? `The server has counted the uses of this key for less than ${days} days.` : ''}{' '}
        {kept.length === 0 ? 'If no program needs the key, disable or delete it.' : ''}
      </Text>
      {canChange && kept.length > 0 ? (
        <Group>
          <ConfirmButton
            label="Remove these permissions"
            size="compact-sm"
            title="Remove the permissions that the key did not use?"
            confirm="Remove permissions"
            onConfirm={() => keep({ key, permissions: kept })}
          >
            The key keeps these permissions: {describePermissions(kept)}. The change takes effect within a second. You
            cannot add permissions to a key later. To allow more, create another key.
          </ConfirmButton>
        </Group>
      ) : null}
    </Alert>
  )
}
