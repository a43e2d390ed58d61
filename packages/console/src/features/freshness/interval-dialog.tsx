import { Autocomplete, Group, Modal, NumberInput, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { FormButtons } from '../../components/dialogs/form-buttons.tsx'
import { useAttempt } from '../../components/dialogs/use-attempt.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { useChange } from '../../graphql/use-change.ts'
import { SetExpectedIntervalDocument } from './freshness.generated.ts'
import { splitInterval, type UnitName, unitOf, units } from './interval.ts'

interface IntervalDialogProps {
  /** The dialog is open while this value is defined. */
  rule: { name: string; seconds: number } | 'new' | undefined
  names: readonly string[]
  onClose(): void
}

export function IntervalDialog({ rule, names, onClose }: IntervalDialogProps) {
  const title = rule === 'new' || rule === undefined ? 'Set an interval' : `Interval of ${rule.name}`
  return (
    <Modal opened={rule !== undefined} onClose={onClose} title={title}>
      {rule === undefined ? null : <IntervalForm rule={rule} names={names} onClose={onClose} />}
    </Modal>
  )
}

const initial = { name: '', count: 10 as number | string, unit: 'minutes' as UnitName }

const labels = { name: 'Attribute', seconds: 'The interval in seconds' }

/** Mounts each time the dialog opens, so the form starts with the current values. */
function IntervalForm({
  rule,
  names,
  onClose,
}: IntervalDialogProps & { rule: NonNullable<IntervalDialogProps['rule']> }) {
  const set = useChange(SetExpectedIntervalDocument, ['Freshness', 'AttributeInfo'])
  const [values, setValues] = useState(rule === 'new' ? initial : { name: rule.name, ...splitInterval(rule.seconds) })
  const { name, count, unit } = values
  const { submit, isRunning, error } = useAttempt(async () => {
    await set({ name: name.trim(), seconds: Math.round(Number(count) * unitOf(unit).seconds) })
    onClose()
  })
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {rule === 'new' ? (
          <Autocomplete
            label="Attribute"
            description="A device attribute, such as load or net.rate"
            required
            data={[...names]}
            limit={50}
            value={name}
            onChange={(typed) => setValues({ ...values, name: typed })}
            data-autofocus
          />
        ) : null}
        <Group align="flex-end" grow>
          <NumberInput
            label="Expected every"
            required
            min={0}
            clampBehavior="none"
            value={count}
            onChange={(typed) => setValues({ ...values, count: typed })}
            data-autofocus={rule === 'new' ? undefined : true}
          />
          <Select
            aria-label="Unit"
            allowDeselect={false}
            data={units.map(({ value }) => value)}
            value={unit}
            onChange={(chosen) => setValues({ ...values, unit: unitOf(chosen as UnitName).value })}
          />
        </Group>
        <ErrorNotice error={error} title="The interval was not set" labels={labels} />
        <FormButtons onCancel={onClose} loading={isRunning} disabled={name.trim() === '' || Number(count) <= 0}>
          Save
        </FormButtons>
      </Stack>
    </form>
  )
}
