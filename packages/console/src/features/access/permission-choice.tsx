import { Checkbox, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Permission } from '../../graphql/schema-types.generated.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { permissionTexts } from './permissions.ts'

interface PermissionChoiceProps {
  label: string
  value: readonly Permission[]
  onChange(value: Permission[]): void
  error?: ReactNode
}

export function PermissionChoice({ label, value, onChange, error }: PermissionChoiceProps) {
  const { may } = useViewer()
  return (
    <Checkbox.Group
      label={label}
      value={[...value]}
      onChange={(chosen) => onChange(chosen as Permission[])}
      error={error}
    >
      <Stack gap={6} mt={4}>
        {permissionTexts.map(([permission, text]) => (
          <Checkbox
            key={permission}
            value={permission}
            label={text}
            disabled={!may(permission)}
            description={may(permission) ? undefined : 'You do not have this permission'}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
