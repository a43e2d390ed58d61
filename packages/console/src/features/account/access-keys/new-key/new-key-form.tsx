import { Button, Group, Stack, Title } from '@mantine/core'
import { type FormErrors, useForm } from '@mantine/form'
import { CombinedError } from '@urql/core'
import { useRef, useState } from 'react'
import { focusFirstError } from '../../../../components/dialogs/focus-first-error.ts'
import { ErrorNotice } from '../../../../components/error-notice.tsx'
import { useCreation } from '../../../../graphql/use-change.ts'
import { typedFilter } from '../../../filters/filter-field.tsx'
import { useConfirmation } from '../../../sign-in/use-confirmation.tsx'
import { useViewer } from '../../../user-settings/viewer.ts'
import { checkExpiry } from '../../expiry.tsx'
import { CreateAccessKeyDocument } from '../keys.generated.ts'
import type { NewKey } from './created-key.tsx'
import { initialValues, type KeyValues, type Policy, toVariables } from './key-values.ts'
import { LimitsStep } from './limits-step.tsx'
import { PurposeStep } from './purpose-step.tsx'
import { purposes } from './purposes.ts'
import { SigningStep } from './signing-step.tsx'
import { useNeededPermissions } from './use-needed-permissions.ts'

interface NewKeyFormProps {
  policy: Policy | undefined
  onCreated: (created: NewKey) => void
  onCancel: () => void
}

const steps = ['What should the key do?', 'What are the key’s limits?', 'How does the key sign?'] as const

const labels = {
  where: 'Devices',
  view: 'View',
  context: 'Context',
  attributes: 'Attributes',
  networks: 'Networks',
  rateShare: 'Share of the rate limit',
  expires: 'Expires',
  publicKey: 'Public key',
}

export function NewKeyForm({ policy, onCreated, onCancel }: NewKeyFormProps) {
  const { may } = useViewer()
  const create = useCreation(CreateAccessKeyDocument, ['AccessKey', 'KeyPolicy'])
  const findNeededPermissions = useNeededPermissions()
  const [step, setStep] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const form = useForm<KeyValues>({
    initialValues: initialValues(policy, may),
    validate: (values) => problemsOf(values, step, policy),
  })
  const { values } = form
  const permissions = purposes.find(({ id }) => id === values.purpose)?.permissions ?? values.permissions

  const confirmation = useConfirmation(async () => {
    try {
      onCreated((await create(toVariables(values, permissions))).createAccessKey)
    } catch (failure) {
      if (isAboutLimits(failure)) setStep(1)
      throw failure
    }
  })
  const finishPurpose = async (): Promise<void> => {
    if (values.purpose === 'document') {
      const found = await findNeededPermissions(values.document)
      if (typeof found === 'string') return form.setFieldError('document', found)
      form.setFieldValue('permissions', found)
    }
    setStep(1)
  }
  const finishLimits = (): void => {
    form.setFieldValue('restriction', { ...values.restriction, where: typedFilter(box) })
    setStep(2)
  }
  const submit = form.onSubmit(
    () => [finishPurpose, finishLimits, confirmation.attempt][step]?.(),
    focusFirstError(form),
  )

  if (confirmation.form !== undefined) return confirmation.form
  return (
    <form onSubmit={submit}>
      <Stack>
        <Title order={3} size="h4" aria-live="polite">
          Step {step + 1} of {steps.length}: {steps[step]}
        </Title>
        <ErrorNotice error={confirmation.error} title="The key was not created" labels={labels} />
        {step === 0 ? <PurposeStep form={form} /> : null}
        {step === 1 ? <LimitsStep form={form} permissions={permissions} policy={policy} box={box} /> : null}
        {step === 2 ? <SigningStep form={form} permissions={permissions} policy={policy} /> : null}
        <Group justify="flex-end">
          {step === 0 ? (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          ) : (
            <Button variant="default" onClick={() => setStep(step - 1)}>
              Back
            </Button>
          )}
          <Button type="submit" loading={form.submitting}>
            {step === steps.length - 1 ? 'Create key' : 'Next'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Returns the errors of a step's fields. The form ignores fields whose error is false or null. */
function problemsOf(values: KeyValues, step: number, policy: Policy | undefined): FormErrors {
  const { purpose, document, permissions, networks, rateShare, expiry, signing, publicKey } = values
  const share = Number(rateShare)
  const errorsByStep: FormErrors[] = [
    {
      document:
        purpose === 'document' &&
        document.trim() === '' &&
        'Paste a GraphQL document, such as { login { devices { total } } }',
      permissions: purpose === 'choose' && permissions.length === 0 && 'Choose at least one permission',
    },
    {
      networks:
        policy?.requireNetworks === true &&
        networks.length === 0 &&
        'The key policy requires at least one network, such as 192.0.2.0/24',
      expiry: checkExpiry(new Date())(expiry),
      rateShare: !(share >= 1 && share <= 100) && 'Enter a number from 1 to 100',
    },
    {
      publicKey:
        signing === 'public' && publicKey.trim() === '' && 'Paste your Ed25519 public key in PEM format or base64',
    },
  ]
  return errorsByStep[step] ?? {}
}

const isAboutLimits = (failure: unknown): boolean =>
  failure instanceof CombinedError &&
  /^(access\.|networks|rateShare|expires)/.test(failure.graphQLErrors[0]?.message ?? '')
