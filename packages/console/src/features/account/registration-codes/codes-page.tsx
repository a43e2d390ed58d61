import { Button, Code, Progress, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconQrcode, IconTrash } from '@tabler/icons-react'
import { useQuery } from 'urql'
import { ConfirmButton } from '../../../components/dialogs/confirm-button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ListRow, ListTable } from '../../../components/list-table.tsx'
import { Loading } from '../../../components/loading.tsx'
import { NotAllowed } from '../../../components/not-allowed.tsx'
import { Section } from '../../../components/section.tsx'
import { Time } from '../../../components/time.tsx'
import { useLiveEvents } from '../../../graphql/live-events.ts'
import { useChange, useTypes } from '../../../graphql/use-change.ts'
import { useViewer } from '../../user-settings/viewer.ts'
import { usageText } from '../usage-text.ts'
import {
  DeleteRegistrationCodeDocument,
  RegistrationCodesDocument,
  type RegistrationCodesQuery,
} from './codes.generated.ts'
import { NewCodeDialog } from './new-code-dialog.tsx'

export function CodesPage() {
  const { may, isRestricted } = useViewer()
  if (may('DEVICE_CREATE') && !isRestricted) return <Codes />
  return (
    <Section title="Registration codes">
      <NotAllowed permissions={isRestricted ? [] : ['DEVICE_CREATE']}>
        {isRestricted
          ? 'Members whose role is limited to some devices or attributes cannot see or create registration codes.'
          : 'You cannot see or create registration codes.'}
      </NotAllowed>
    </Section>
  )
}

function Codes() {
  const context = useTypes('RegistrationCode')
  const [{ data, error }, refetch] = useQuery({ query: RegistrationCodesDocument, context })
  const [opened, { open, close }] = useDisclosure()
  // Update the list, because devices may use codes while this page is open.
  useLiveEvents({
    onEvents(events) {
      const isCodeUsed = events.some(
        ({ type, data: { registrationCode } }) => type === 'DEVICE_REGISTER' && registrationCode,
      )
      if (isCodeUsed) refetch({ requestPolicy: 'network-only' })
    },
    onGap: () => refetch({ requestPolicy: 'network-only' }),
  })
  const codes = data?.login?.registrationCodes
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New registration code
    </Button>
  )
  return (
    <Section
      title="Registration codes"
      about={
        <>
          Devices register themselves with these codes.{' '}
          {usageText(data?.login?.limits, 'registrationCodes', 'registration codes')} A code can give each device
          initial services and attributes.
        </>
      }
      actions={create}
    >
      <ErrorNotice error={error} title="The codes could not be loaded" onRetry={refetch} />
      {codes === undefined && error === undefined ? <Loading what="registration codes" /> : null}
      {codes?.length === 0 ? (
        <EmptyState icon={<IconQrcode size={22} />} title="No registration codes" action={create}>
          Create a code. To register a machine as a device, run the code’s command on that machine.
        </EmptyState>
      ) : null}
      {codes === undefined || codes.length === 0 ? null : (
        <ListTable
          label="Registration codes"
          columns={['Code', 'Devices', 'Name', 'Platform', 'Expires', 'Created', '']}
        >
          {codes.map((code) => (
            <CodeRow key={code.id} code={code} />
          ))}
        </ListTable>
      )}
      <NewCodeDialog opened={opened} onClose={close} />
    </Section>
  )
}

type RegistrationCode = NonNullable<RegistrationCodesQuery['login']>['registrationCodes'][number]

function CodeRow({ code }: { code: RegistrationCode }) {
  const { id, prefix, name, platform, uses, used, created, expires } = code
  const remove = useChange(DeleteRegistrationCodeDocument, ['RegistrationCode'])
  return (
    <ListRow>
      <Code>{prefix}…</Code>
      <Table.Td miw={110}>
        <Text size="sm">
          {used.toLocaleString()} of {uses.toLocaleString()}
        </Text>
        <Progress value={(used / uses) * 100} size="xs" aria-label={`Uses of ${prefix}…`} />
      </Table.Td>
      {name}
      {platform}
      <Time value={expires} />
      <Time value={created} />
      <ConfirmButton
        label={<IconTrash size={16} aria-label={`Delete ${prefix}…`} />}
        size="compact-sm"
        variant="subtle"
        color="gray"
        title={`Delete the code ${prefix}…?`}
        confirm="Delete code"
        danger
        onConfirm={() => remove({ id })}
      >
        Devices will no longer be able to register with this code. Devices that have already registered are not
        affected.
      </ConfirmButton>
    </ListRow>
  )
}
