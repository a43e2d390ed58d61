import { Textarea } from '@mantine/core'
import type { ReactNode } from 'react'

interface PublicKeyInputProps {
  value?: string
  onChange(value: string): void
  error?: ReactNode
  'data-path'?: string
}

export const PublicKeyInput = ({ value, onChange, error, ...input }: PublicKeyInputProps) => (
  <Textarea
    label="Public key"
    description="The output of “openssl pkey -in key.pem -pubout” or the 32 bytes of the public key in base64. Keep the private key secret."
    placeholder="-----BEGIN PUBLIC KEY-----"
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    autosize
    minRows={3}
    data-path={input['data-path']}
    value={value ?? ''}
    error={error}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
)
