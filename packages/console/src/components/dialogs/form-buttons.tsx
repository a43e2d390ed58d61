import { Button, type ButtonProps, Group } from '@mantine/core'

interface FormButtonsProps extends ButtonProps {
  onCancel: () => void
  /** Runs the action of a dialog without a form. If omitted, the button submits the form. */
  onClick?: () => void
}

/** The children label the button that submits the form or runs the action. */
export const FormButtons = ({ onCancel, ...submit }: FormButtonsProps) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onCancel}>
      Cancel
    </Button>
    <Button type={submit.onClick === undefined ? 'submit' : 'button'} {...submit} />
  </Group>
)
