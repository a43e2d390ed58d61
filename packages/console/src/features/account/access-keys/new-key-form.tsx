import { Button, Checkbox, Group, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { focusFirstError } from '../../../components/focus-first-error.ts'
import { errorReason } from '../../../graphql/describe-error.ts'
import { useCreation } from '../../../graphql/use-change.ts'
import { ConfirmSignIn } from '../../sign-in/confirm-sign-in.tsx'
import { checkExpiry, Expiry, expiryTime, noExpiry } from '../expiry.tsx'
import type { NewKey } from './created-key.tsx'
import { CreateAccessKeyDocument } from './keys.generated.ts'

interface NewKeyFormProps {
  onCreated: (created: NewKey) => void
  onCancel: () => void
}

const labels = { publicKey: 'Public key' }

export function NewKeyForm({ onCreated, onCancel }: NewKeyFormProps) {
  const create = useCreation(CreateAccessKeyDocument, ['AccessKey'])
  const [error, setError] = useState<unknown>()
  const [needsConfirmation, setNeedsConfirmation] = useState(false)
  const form = useForm({
    initialValues: {
      name: '',
      access: 'write',
      requireDigest: false,
      kind: 'secret',
      publicKey: '',
      expiry: noExpiry,
    },
    validate: {
      expiry: checkExpiry(new Date()),
      publicKey: (value, { kind }) =>
        kind === 'public' && value.trim() === '' ? 'Paste your Ed25519 public key' : null,
    },
  })

  const createKey = async (): Promise<void> => {
    const { name, access, requireDigest, kind, publicKey, expiry } = form.values
    setError(undefined)
    try {
      const { createAccessKey } = await create({
        name: name.trim() === '' ? null : name.trim(),
        readOnly: access === 'read',
        requireDigest,
        expires: expiryTime(expiry),
        publicKey: kind === 'public' ? publicKey.trim() : null,
      })
      onCreated(createAccessKey)
    } catch (failure) {
      const isTooOld = errorReason(failure) === 'sign-in-too-old'
      setNeedsConfirmation(isTooOld)
      if (!isTooOld) setError(failure)
    }
  }
  const submit = form.onSubmit(createKey, focusFirstError(form))

  if (needsConfirmation) return <ConfirmSignIn onConfirmed={createKey} onCancel={() => setNeedsConfirmation(false)} />
  return (
    <form onSubmit={submit}>
      <Stack>
        {error === undefined ? null : <ErrorNotice error={error} title="The key was not created" labels={labels} />}
        <TextInput
          label="Name"
          description="The program that uses the key"
          placeholder="Nightly export"
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Radio.Group label="Permissions" {...form.getInputProps('access')}>
          <Group mt={4}>
            <Radio value="write" label="read and write" />
            <Radio value="read" label="read only" />
          </Group>
        </Radio.Group>
        <Expiry {...form.getInputProps('expiry')} />
        <Checkbox
          label="Require a digest of the body"
          description="Rejects requests whose signature does not cover the body. Muster’s programs always cover it."
          {...form.getInputProps('requireDigest', { type: 'checkbox' })}
        />
        <Radio.Group label="Signed with" {...form.getInputProps('kind')}>
          <Group mt={4}>
            <Radio value="secret" label="a secret from the server" />
            <Radio value="public" label="my Ed25519 key" />
          </Group>
        </Radio.Group>
        {form.values.kind === 'public' ? (
          <Textarea
            label="Public key"
            description="The output of: openssl pkey -in key.pem -pubout, or its 32 bytes in base64. Keep the private key secret."
            placeholder="-----BEGIN PUBLIC KEY-----"
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            autosize
            minRows={3}
            {...form.getInputProps('publicKey')}
          />
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
