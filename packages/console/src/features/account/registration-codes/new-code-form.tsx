import { Divider, Group, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { focusFirstError } from '../../../components/dialogs/focus-first-error.ts'
import { FormButtons } from '../../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { useCreation } from '../../../graphql/use-change.ts'
import { checkExpiry, Expiry, type ExpiryValue, expiryTime, inDays } from '../expiry.tsx'
import { type AttributeRow, AttributesField, attributesFrom } from './attributes-field.tsx'
import { CreateRegistrationCodeDocument } from './codes.generated.ts'
import type { NewCode } from './created-code.tsx'
import { checkNames } from './list-field.tsx'
import { type ServiceRow, ServicesField, servicesFrom } from './services-field.tsx'

interface NewCodeFormProps {
  onCreated: (created: NewCode) => void
  onCancel: () => void
}

interface Values {
  uses: number | string
  name: string
  platform: string
  expiry: ExpiryValue
  services: ServiceRow[]
  attributes: AttributeRow[]
}

const labels = {
  uses: 'Devices',
  'services.name': 'Name of service',
  'services.application': 'Type of service',
  'services.port': 'Port of service',
  attributes: 'Attributes',
}

export function NewCodeForm({ onCreated, onCancel }: NewCodeFormProps) {
  const create = useCreation(CreateRegistrationCodeDocument, ['RegistrationCode'])
  const form = useForm<Values>({
    initialValues: { uses: 1, name: '', platform: '', expiry: inDays(7), services: [], attributes: [] },
    validate: {
      uses: (value) => (Number(value) >= 1 && Number(value) <= 1_000_000 ? null : 'Enter a number from 1 to 1,000,000'),
      expiry: checkExpiry(new Date()),
      services: (rows) => checkNames(rows, 'service'),
      attributes: (rows) => checkNames(rows, 'attribute'),
    },
  })
  const { attempt, error } = useAttempt(async () => {
    const { uses, name, platform, expiry, services, attributes } = form.values
    const { createRegistrationCode } = await create({
      uses: Number(uses),
      name: name.trim() || null,
      platform: platform.trim() || null,
      expires: expiryTime(expiry),
      services: servicesFrom(services),
      attributes: attributesFrom(attributes),
    })
    onCreated(createRegistrationCode)
  })
  return (
    <form onSubmit={form.onSubmit(attempt, focusFirstError(form))}>
      <Stack>
        <ErrorNotice error={error} title="The code was not created" labels={labels} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NumberInput
            label="Devices"
            description="Maximum number of devices that can register with the code"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={1}
            max={1_000_000}
            allowDecimal={false}
            thousandSeparator=","
            data-autofocus
            {...form.getInputProps('uses')}
          />
          <Expiry canBeNever={false} {...form.getInputProps('expiry')} />
        </SimpleGrid>
        <Divider label="For devices that register with the code" labelPosition="left" />
        <Group grow align="flex-start">
          <TextInput
            label="Name"
            description="For devices that do not provide a name"
            maxLength={100}
            {...form.getInputProps('name')}
          />
          <TextInput
            label="Platform"
            description="For devices that do not provide a platform"
            maxLength={200}
            {...form.getInputProps('platform')}
          />
        </Group>
        <ServicesField {...form.getInputProps('services')} />
        <AttributesField {...form.getInputProps('attributes')} />
        <FormButtons onCancel={onCancel} loading={form.submitting}>
          Create code
        </FormButtons>
      </Stack>
    </form>
  )
}
